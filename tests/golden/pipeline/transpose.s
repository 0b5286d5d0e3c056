	.file	"<string>"
	.section	.ltext,"axl",@progbits
	.globl	ave_run
	.p2align	4
	.type	ave_run,@function
ave_run:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$88, %rsp
	movq	%rcx, 40(%rsp)
	cmpq	%rcx, %rdx
	jae	.LBB0_18
	movq	%r8, %rbp
	movl	(%rsi), %eax
	movq	%rax, 16(%rsp)
	movl	4(%rsi), %eax
	movq	%rax, 8(%rsp)
	movq	(%rdi), %rax
	movq	%rax, 32(%rsp)
	movq	8(%rdi), %rax
	movq	%rax, 24(%rsp)
	.p2align	4
.LBB0_2:
	movq	%rdx, %rax
	shrq	$32, %rax
	movq	%rdx, 48(%rsp)
	je	.LBB0_3
	movq	%rdx, %rax
	xorl	%edx, %edx
	divq	16(%rsp)
	movq	%rdx, %r14
	jmp	.LBB0_5
	.p2align	4
.LBB0_3:
	movl	%edx, %eax
	xorl	%edx, %edx
	divl	16(%rsp)
	movl	%edx, %r14d
.LBB0_5:
	movq	%rax, %rcx
	shrq	$32, %rcx
	je	.LBB0_6
	xorl	%edx, %edx
	divq	8(%rsp)
	jmp	.LBB0_8
	.p2align	4
.LBB0_6:
	xorl	%edx, %edx
	divl	8(%rsp)
.LBB0_8:
	movq	%rdx, (%rsp)
	movl	%r14d, %eax
	andl	$268435455, %eax
	shlq	$6, %rax
	addq	32(%rsp), %rax
	movq	(%rsp), %r13
	andl	$268435455, %r13d
	shlq	$12, %r13
	addq	%rax, %r13
	movq	%rbp, %rbx
	xorl	%r15d, %r15d
	movq	24(%rsp), %r12
	.p2align	4
.LBB0_9:
	movl	$64, %edi
	movl	$64, %esi
	movabsq	$aligned_alloc, %rax
	vzeroupper
	callq	*%rax
	movabsq	$wave.resume, %rcx
	movq	%rcx, (%rax)
	movabsq	$wave.destroy, %rcx
	movq	%rcx, 8(%rax)
	movq	%rbp, 16(%rax)
	movl	%r15d, 40(%rax)
	movq	(%rsp), %rcx
	movl	%ecx, 36(%rax)
	movl	%r14d, 32(%rax)
	movq	%r12, 24(%rax)
	movq	%r15, %rcx
	shlq	$10, %rcx
	vmovups	(%r13,%rcx), %zmm0
	vmovups	256(%r13,%rcx), %zmm1
	vmovups	512(%r13,%rcx), %zmm2
	vmovups	768(%r13,%rcx), %zmm3
	vmovups	%zmm3, 192(%rbx)
	vmovups	%zmm2, 128(%rbx)
	vmovups	%zmm1, 64(%rbx)
	vmovups	%zmm0, (%rbx)
	movb	$0, 44(%rax)
	movq	%rax, 56(%rsp,%r15,8)
	incq	%r15
	addq	$256, %rbx
	cmpq	$4, %r15
	jne	.LBB0_9
	xorl	%r14d, %r14d
	xorl	%ebx, %ebx
	xorl	%r12d, %r12d
	.p2align	4
.LBB0_11:
	movq	56(%rsp,%r14,8), %rdi
	movq	(%rdi), %r15
	testq	%r15, %r15
	je	.LBB0_13
	vzeroupper
	callq	*(%rdi)
.LBB0_13:
	testq	%r15, %r15
	setne	%cl
	movl	%ebx, %eax
	orb	%cl, %al
	incq	%r14
	cmpq	$4, %r14
	setne	%bl
	andb	%al, %bl
	cmpq	$4, %r14
	cmoveq	%r12, %r14
	jne	.LBB0_11
	testb	$1, %al
	jne	.LBB0_11
	xorl	%ebx, %ebx
	.p2align	4
.LBB0_16:
	movq	56(%rsp,%rbx,8), %rdi
	vzeroupper
	callq	*8(%rdi)
	incq	%rbx
	cmpq	$4, %rbx
	jne	.LBB0_16
	movq	48(%rsp), %rdx
	incq	%rdx
	cmpq	40(%rsp), %rdx
	jne	.LBB0_2
.LBB0_18:
	xorl	%eax, %eax
	addq	$88, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end0:
	.size	ave_run, .Lfunc_end0-ave_run

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI1_0:
	.long	12
	.long	76
	.long	140
	.long	204
	.long	268
	.long	332
	.long	396
	.long	460
	.long	524
	.long	588
	.long	652
	.long	716
	.long	780
	.long	844
	.long	908
	.long	972
.LCPI1_1:
	.long	8
	.long	72
	.long	136
	.long	200
	.long	264
	.long	328
	.long	392
	.long	456
	.long	520
	.long	584
	.long	648
	.long	712
	.long	776
	.long	840
	.long	904
	.long	968
.LCPI1_2:
	.long	4
	.long	68
	.long	132
	.long	196
	.long	260
	.long	324
	.long	388
	.long	452
	.long	516
	.long	580
	.long	644
	.long	708
	.long	772
	.long	836
	.long	900
	.long	964
.LCPI1_3:
	.long	0
	.long	64
	.long	128
	.long	192
	.long	256
	.long	320
	.long	384
	.long	448
	.long	512
	.long	576
	.long	640
	.long	704
	.long	768
	.long	832
	.long	896
	.long	960
	.section	.ltext,"axl",@progbits
	.p2align	4
	.type	wave.resume,@function
wave.resume:
	movl	40(%rdi), %eax
	shll	$2, %eax
	andl	$268435452, %eax
	leal	(,%rax,4), %ecx
	addq	16(%rdi), %rcx
	movabsq	$.LCPI1_0, %rdx
	vmovdqa64	(%rdx), %zmm0
	kxnorw	%k0, %k0, %k1
	vpxor	%xmm1, %xmm1, %xmm1
	vpgatherdd	(%rcx,%zmm0), %zmm1 {%k1}
	movabsq	$.LCPI1_1, %rdx
	vmovdqa64	(%rdx), %zmm0
	kxnorw	%k0, %k0, %k1
	vpxor	%xmm2, %xmm2, %xmm2
	vpgatherdd	(%rcx,%zmm0), %zmm2 {%k1}
	movabsq	$.LCPI1_2, %rdx
	vmovdqa64	(%rdx), %zmm0
	kxnorw	%k0, %k0, %k1
	vpxor	%xmm3, %xmm3, %xmm3
	vpgatherdd	(%rcx,%zmm0), %zmm3 {%k1}
	kxnorw	%k0, %k0, %k1
	movabsq	$.LCPI1_3, %rdx
	vmovdqa64	(%rdx), %zmm0
	vpxor	%xmm4, %xmm4, %xmm4
	vpgatherdd	(%rcx,%zmm0), %zmm4 {%k1}
	movl	32(%rdi), %ecx
	movl	36(%rdi), %edx
	shll	$4, %ecx
	shll	$4, %edx
	addl	%eax, %ecx
	shlq	$8, %rcx
	addq	24(%rdi), %rcx
	vmovdqu64	%zmm4, (%rcx,%rdx,4)
	vmovdqu64	%zmm3, 256(%rcx,%rdx,4)
	vmovdqu64	%zmm2, 512(%rcx,%rdx,4)
	vmovdqu64	%zmm1, 768(%rcx,%rdx,4)
	movq	$0, (%rdi)
	vzeroupper
	retq
.Lfunc_end1:
	.size	wave.resume, .Lfunc_end1-wave.resume

	.p2align	4
	.type	wave.destroy,@function
wave.destroy:
	movabsq	$free, %rax
	jmpq	*%rax
.Lfunc_end2:
	.size	wave.destroy, .Lfunc_end2-wave.destroy

	.section	".note.GNU-stack","",@progbits
