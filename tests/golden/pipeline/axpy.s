	.file	"<string>"
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI0_0:
	.long	48
	.long	49
	.long	50
	.long	51
	.long	52
	.long	53
	.long	54
	.long	55
	.long	56
	.long	57
	.long	58
	.long	59
	.long	60
	.long	61
	.long	62
	.long	63
.LCPI0_1:
	.long	32
	.long	33
	.long	34
	.long	35
	.long	36
	.long	37
	.long	38
	.long	39
	.long	40
	.long	41
	.long	42
	.long	43
	.long	44
	.long	45
	.long	46
	.long	47
.LCPI0_2:
	.long	16
	.long	17
	.long	18
	.long	19
	.long	20
	.long	21
	.long	22
	.long	23
	.long	24
	.long	25
	.long	26
	.long	27
	.long	28
	.long	29
	.long	30
	.long	31
.LCPI0_3:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
	.section	.ltext,"axl",@progbits
	.p2align	4
	.type	ave_wave,@function
ave_wave:
	vpbroadcastd	%edx, %zmm0
	vpslld	$6, %zmm0, %zmm0
	movabsq	$.LCPI0_0, %rax
	vpord	(%rax), %zmm0, %zmm1
	movabsq	$.LCPI0_1, %rax
	vpord	(%rax), %zmm0, %zmm2
	movabsq	$.LCPI0_2, %rax
	vpord	(%rax), %zmm0, %zmm3
	movabsq	$.LCPI0_3, %rax
	vpord	(%rax), %zmm0, %zmm0
	vpbroadcastd	24(%rdi), %zmm4
	vpcmpltud	%zmm4, %zmm0, %k1
	vpcmpltud	%zmm4, %zmm3, %k2
	kunpckwd	%k1, %k2, %k0
	vpcmpltud	%zmm4, %zmm2, %k3
	vpcmpltud	%zmm4, %zmm1, %k4
	kunpckwd	%k3, %k4, %k5
	kunpckdq	%k0, %k5, %k0
	kortestq	%k0, %k0
	je	.LBB0_2
	shll	$6, %edx
	kmovq	%k0, %rcx
	movq	8(%rdi), %rsi
	movq	16(%rdi), %rax
	tzcntq	%rcx, %rcx
	movabsq	$.Lc0, %r8
	movq	(%r8,%rcx,8), %rcx
	addl	%ecx, %edx
	subq	%rcx, %rdx
	vmovdqu32	(%rsi,%rdx,4), %zmm0 {%k1} {z}
	vmovdqu32	64(%rsi,%rdx,4), %zmm1 {%k2} {z}
	vmovdqu32	128(%rsi,%rdx,4), %zmm2 {%k3} {z}
	vmovdqu32	192(%rsi,%rdx,4), %zmm3 {%k4} {z}
	vbroadcastss	(%rdi), %zmm4
	vmulps	%zmm3, %zmm4, %zmm3
	vmulps	%zmm2, %zmm4, %zmm2
	vmulps	%zmm1, %zmm4, %zmm1
	vmulps	%zmm0, %zmm4, %zmm0
	vmovdqu32	192(%rax,%rdx,4), %zmm4 {%k4} {z}
	vaddps	%zmm4, %zmm3, %zmm3
	vmovdqu32	128(%rax,%rdx,4), %zmm4 {%k3} {z}
	vaddps	%zmm4, %zmm2, %zmm2
	vmovdqu32	64(%rax,%rdx,4), %zmm4 {%k2} {z}
	vaddps	%zmm4, %zmm1, %zmm1
	vmovdqu32	(%rax,%rdx,4), %zmm4 {%k1} {z}
	vaddps	%zmm4, %zmm0, %zmm0
	vmovdqu32	%zmm3, 192(%rax,%rdx,4) {%k4}
	vmovdqu32	%zmm2, 128(%rax,%rdx,4) {%k3}
	vmovdqu32	%zmm1, 64(%rax,%rdx,4) {%k2}
	vmovdqu32	%zmm0, (%rax,%rdx,4) {%k1}
.LBB0_2:
	vzeroupper
	retq
.Lfunc_end0:
	.size	ave_wave, .Lfunc_end0-ave_wave

	.p2align	4
	.type	ave_run_waves,@function
ave_run_waves:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$56, %rsp
	movq	%r8, 48(%rsp)
	movq	%rdi, 40(%rsp)
	movq	%rcx, 24(%rsp)
	cmpq	%rcx, %rdx
	jae	.LBB1_9
	movq	%rsi, %r13
	movl	(%rsi), %eax
	movq	%rax, 16(%rsp)
	movl	4(%rsi), %eax
	movq	%rax, 8(%rsp)
	cmpl	$1, %r9d
	adcl	$-1, %r9d
	movl	%r9d, %ebp
	jmp	.LBB1_2
	.p2align	4
.LBB1_8:
	movq	32(%rsp), %rdx
	incq	%rdx
	cmpq	24(%rsp), %rdx
	je	.LBB1_9
.LBB1_2:
	movq	%rdx, 32(%rsp)
	movq	%rdx, %rax
	xorl	%edx, %edx
	divq	16(%rsp)
	movq	%rdx, %r15
	xorl	%edx, %edx
	divq	8(%rsp)
	movq	%rax, %r12
	movq	%rdx, %r14
	xorl	%ebx, %ebx
	.p2align	4
.LBB1_3:
	movq	48(%rsp), %rax
	movq	%rax, (%rsp)
	movq	40(%rsp), %rdi
	movq	%r13, %rsi
	movl	%r15d, %edx
	movl	%r14d, %ecx
	movl	%r12d, %r8d
	movl	%ebx, %r9d
	movabsq	$ave_wave, %rax
	callq	*%rax
	cmpl	%ebx, %ebp
	je	.LBB1_5
	incl	%ebx
	movl	12(%r13), %eax
	cmpl	$2, %eax
	jb	.LBB1_3
.LBB1_5:
	movl	12(%r13), %eax
	testl	%eax, %eax
	je	.LBB1_8
	movq	%r13, %rdi
	callq	*16(%r13)
	testl	%eax, %eax
	je	.LBB1_8
	movl	$3, %eax
	jmp	.LBB1_10
.LBB1_9:
	xorl	%eax, %eax
.LBB1_10:
	addq	$56, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end1:
	.size	ave_run_waves, .Lfunc_end1-ave_run_waves

	.globl	ave_run
	.p2align	4
	.type	ave_run,@function
ave_run:
	pushq	%rax
	movabsq	$ave_run_waves, %rax
	movl	$1, %r9d
	callq	*%rax
	popq	%rcx
	retq
.Lfunc_end2:
	.size	ave_run, .Lfunc_end2-ave_run

	.type	.Lc0,@object
	.section	.lrodata,"al",@progbits
	.p2align	9, 0x0
.Lc0:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
	.quad	4
	.quad	5
	.quad	6
	.quad	7
	.quad	8
	.quad	9
	.quad	10
	.quad	11
	.quad	12
	.quad	13
	.quad	14
	.quad	15
	.quad	16
	.quad	17
	.quad	18
	.quad	19
	.quad	20
	.quad	21
	.quad	22
	.quad	23
	.quad	24
	.quad	25
	.quad	26
	.quad	27
	.quad	28
	.quad	29
	.quad	30
	.quad	31
	.quad	32
	.quad	33
	.quad	34
	.quad	35
	.quad	36
	.quad	37
	.quad	38
	.quad	39
	.quad	40
	.quad	41
	.quad	42
	.quad	43
	.quad	44
	.quad	45
	.quad	46
	.quad	47
	.quad	48
	.quad	49
	.quad	50
	.quad	51
	.quad	52
	.quad	53
	.quad	54
	.quad	55
	.quad	56
	.quad	57
	.quad	58
	.quad	59
	.quad	60
	.quad	61
	.quad	62
	.quad	63
	.size	.Lc0, 512

	.section	".note.GNU-stack","",@progbits
