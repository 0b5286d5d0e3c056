	.file	"<string>"
	.section	.ltext,"axl",@progbits
	.p2align	4
	.type	gather.i32.4.64,@function
gather.i32.4.64:
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm8, %xmm8, %xmm8
	vpgatherqd	(,%zmm1), %ymm8 {%k1}
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm1, %xmm1, %xmm1
	vpgatherqd	(,%zmm0), %ymm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm9, %xmm9, %xmm9
	vpgatherqd	(,%zmm3), %ymm9 {%k1}
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm3, %xmm3, %xmm3
	vpgatherqd	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm2, %xmm2, %xmm2
	vpgatherqd	(,%zmm5), %ymm2 {%k1}
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm5, %xmm5, %xmm5
	vpgatherqd	(,%zmm4), %ymm5 {%k1}
	kxnorb	%k0, %k0, %k1
	vpxor	%xmm4, %xmm4, %xmm4
	vinserti64x4	$1, %ymm8, %zmm1, %zmm0
	vinserti64x4	$1, %ymm9, %zmm3, %zmm1
	vinserti64x4	$1, %ymm2, %zmm5, %zmm2
	kxnorb	%k0, %k0, %k2
	vpxor	%xmm3, %xmm3, %xmm3
	vpgatherqd	(,%zmm7), %ymm3 {%k2}
	vpgatherqd	(,%zmm6), %ymm4 {%k1}
	vinserti64x4	$1, %ymm3, %zmm4, %zmm3
	retq
.Lfunc_end0:
	.size	gather.i32.4.64, .Lfunc_end0-gather.i32.4.64

	.globl	ave_run
	.p2align	4
	.type	ave_run,@function
ave_run:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$256, %rsp
	movq	%rcx, 88(%rsp)
	cmpq	%rcx, %rdx
	jae	.LBB1_17
	movq	%r8, %r13
	movl	(%rsi), %eax
	movq	%rax, 72(%rsp)
	movl	4(%rsi), %eax
	movq	%rax, 64(%rsp)
	movq	(%rdi), %rax
	movq	%rax, 56(%rsp)
	movq	8(%rdi), %rax
	movabsq	$ave_coroutine.destroy, %r9
	movq	%rsi, 80(%rsp)
	movq	%rax, 104(%rsp)
	movq	%r8, 48(%rsp)
	jmp	.LBB1_2
	.p2align	4
.LBB1_16:
	movq	96(%rsp), %rdx
	incq	%rdx
	cmpq	88(%rsp), %rdx
	movq	%r14, %r9
	je	.LBB1_17
.LBB1_2:
	movq	%rdx, 96(%rsp)
	movq	%rdx, %rax
	xorl	%edx, %edx
	divq	72(%rsp)
	movq	%rdx, %r12
	xorl	%edx, %edx
	divq	64(%rsp)
	movq	%rdx, %rbx
	movq	%r12, 120(%rsp)
	andl	$268435455, %r12d
	shlq	$6, %r12
	addq	56(%rsp), %r12
	movq	%rdx, 112(%rsp)
	shlq	$12, %rbx
	movq	%r13, %r15
	xorl	%r13d, %r13d
	.p2align	4
.LBB1_3:
	movl	$64, %edi
	movl	$64, %esi
	movq	%r9, %r14
	movabsq	$aligned_alloc, %rax
	vzeroupper
	callq	*%rax
	movabsq	$1099511626752, %rdx
	movq	%r14, %r9
	movabsq	$ave_coroutine.resume, %rcx
	movq	%rcx, (%rax)
	movq	%r14, 8(%rax)
	movq	48(%rsp), %rcx
	movq	%rcx, 16(%rax)
	movl	%r13d, 40(%rax)
	movq	112(%rsp), %rcx
	movl	%ecx, 36(%rax)
	movq	120(%rsp), %rcx
	movl	%ecx, 32(%rax)
	movq	104(%rsp), %rcx
	movq	%rcx, 24(%rax)
	movq	%r13, %rcx
	shlq	$10, %rcx
	addq	%rbx, %rcx
	andq	%rdx, %rcx
	vmovups	(%r12,%rcx), %zmm0
	vmovups	256(%r12,%rcx), %zmm1
	vmovups	512(%r12,%rcx), %zmm2
	vmovups	768(%r12,%rcx), %zmm3
	vmovups	%zmm3, 192(%r15)
	vmovups	%zmm2, 128(%r15)
	vmovups	%zmm1, 64(%r15)
	vmovups	%zmm0, (%r15)
	movb	$0, 44(%rax)
	movq	%rax, 128(%rsp,%r13,8)
	incq	%r13
	addq	$256, %r15
	cmpq	$4, %r13
	jne	.LBB1_3
	movq	80(%rsp), %r15
	movl	12(%r15), %eax
	cmpl	$1, %eax
	movq	48(%rsp), %r13
	ja	.LBB1_11
	xorl	%ebx, %ebx
	xorl	%eax, %eax
	.p2align	4
.LBB1_6:
	movq	128(%rsp,%rbx,8), %rdi
	movq	(%rdi), %rcx
	testq	%rcx, %rcx
	je	.LBB1_8
	vzeroupper
	callq	*%rcx
	movb	$1, %al
.LBB1_8:
	incq	%rbx
	cmpq	$4, %rbx
	jne	.LBB1_6
	testb	$1, %al
	je	.LBB1_11
	movl	12(%r15), %ecx
	xorl	%ebx, %ebx
	movl	$0, %eax
	cmpl	$2, %ecx
	jb	.LBB1_6
.LBB1_11:
	xorl	%ebx, %ebx
	.p2align	4
.LBB1_12:
	movq	128(%rsp,%rbx,8), %rdi
	vzeroupper
	callq	*8(%rdi)
	incq	%rbx
	cmpq	$4, %rbx
	jne	.LBB1_12
	movl	12(%r15), %eax
	testl	%eax, %eax
	je	.LBB1_16
	movq	%r15, %rdi
	callq	*16(%r15)
	testl	%eax, %eax
	je	.LBB1_16
	movl	$3, %eax
	jmp	.LBB1_18
.LBB1_17:
	xorl	%eax, %eax
.LBB1_18:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end1:
	.size	ave_run, .Lfunc_end1-ave_run

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI2_0:
	.quad	0
	.quad	64
	.quad	128
	.quad	192
	.quad	256
	.quad	320
	.quad	384
	.quad	448
.LCPI2_1:
	.quad	512
	.quad	576
	.quad	640
	.quad	704
	.quad	768
	.quad	832
	.quad	896
	.quad	960
.LCPI2_2:
	.quad	4
	.quad	68
	.quad	132
	.quad	196
	.quad	260
	.quad	324
	.quad	388
	.quad	452
.LCPI2_3:
	.quad	516
	.quad	580
	.quad	644
	.quad	708
	.quad	772
	.quad	836
	.quad	900
	.quad	964
.LCPI2_4:
	.quad	8
	.quad	72
	.quad	136
	.quad	200
	.quad	264
	.quad	328
	.quad	392
	.quad	456
.LCPI2_5:
	.quad	520
	.quad	584
	.quad	648
	.quad	712
	.quad	776
	.quad	840
	.quad	904
	.quad	968
.LCPI2_6:
	.quad	12
	.quad	76
	.quad	140
	.quad	204
	.quad	268
	.quad	332
	.quad	396
	.quad	460
.LCPI2_7:
	.quad	524
	.quad	588
	.quad	652
	.quad	716
	.quad	780
	.quad	844
	.quad	908
	.quad	972
	.section	.ltext,"axl",@progbits
	.p2align	4
	.type	ave_coroutine.resume,@function
ave_coroutine.resume:
	pushq	%r15
	pushq	%r14
	pushq	%rbx
	movq	%rdi, %rbx
	movl	40(%rdi), %eax
	movl	32(%rdi), %r14d
	movl	36(%rdi), %r15d
	shll	$2, %eax
	andl	$268435452, %eax
	shll	$4, %r14d
	leal	(,%rax,4), %ecx
	addq	16(%rdi), %rcx
	shll	$4, %r15d
	vpbroadcastq	%rcx, %zmm7
	movabsq	$.LCPI2_0, %rcx
	vpaddq	(%rcx), %zmm7, %zmm0
	movabsq	$.LCPI2_1, %rcx
	vpaddq	(%rcx), %zmm7, %zmm1
	movabsq	$.LCPI2_2, %rcx
	vpaddq	(%rcx), %zmm7, %zmm2
	movabsq	$.LCPI2_3, %rcx
	vpaddq	(%rcx), %zmm7, %zmm3
	movabsq	$.LCPI2_4, %rcx
	vpaddq	(%rcx), %zmm7, %zmm4
	movabsq	$.LCPI2_5, %rcx
	vpaddq	(%rcx), %zmm7, %zmm5
	movabsq	$.LCPI2_6, %rcx
	vpaddq	(%rcx), %zmm7, %zmm6
	movabsq	$.LCPI2_7, %rcx
	vpaddq	(%rcx), %zmm7, %zmm7
	addl	%eax, %r14d
	shlq	$8, %r14
	addq	24(%rdi), %r14
	movabsq	$gather.i32.4.64, %rax
	callq	*%rax
	vmovdqu64	%zmm0, (%r14,%r15,4)
	vmovdqu64	%zmm1, 256(%r14,%r15,4)
	vmovdqu64	%zmm2, 512(%r14,%r15,4)
	vmovdqu64	%zmm3, 768(%r14,%r15,4)
	movq	$0, (%rbx)
	popq	%rbx
	popq	%r14
	popq	%r15
	vzeroupper
	retq
.Lfunc_end2:
	.size	ave_coroutine.resume, .Lfunc_end2-ave_coroutine.resume

	.p2align	4
	.type	ave_coroutine.destroy,@function
ave_coroutine.destroy:
	movabsq	$free, %rax
	jmpq	*%rax
.Lfunc_end3:
	.size	ave_coroutine.destroy, .Lfunc_end3-ave_coroutine.destroy

	.section	".note.GNU-stack","",@progbits
