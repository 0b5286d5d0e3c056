	.file	"<string>"
	.section	.ltext,"axl",@progbits
	.p2align	4
	.type	gather.i32.4.64,@function
gather.i32.4.64:
	pushq	%rbp
	movq	%rsp, %rbp
	andq	$-64, %rsp
	subq	$64, %rsp
	vpsllw	$7, 16(%rbp), %zmm8
	vpmovb2m	%zmm8, %k1
	kshiftrq	$8, %k1, %k2
	vpxor	%xmm8, %xmm8, %xmm8
	vpgatherqd	(,%zmm1), %ymm8 {%k2}
	vpxor	%xmm1, %xmm1, %xmm1
	kshiftrq	$24, %k1, %k2
	kshiftrq	$16, %k1, %k3
	kshiftrq	$40, %k1, %k4
	kshiftrq	$32, %k1, %k5
	kmovq	%k1, %k6
	vpgatherqd	(,%zmm0), %ymm1 {%k6}
	vpxor	%xmm9, %xmm9, %xmm9
	vpgatherqd	(,%zmm3), %ymm9 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vpgatherqd	(,%zmm2), %ymm3 {%k3}
	vpxor	%xmm2, %xmm2, %xmm2
	vpgatherqd	(,%zmm5), %ymm2 {%k4}
	vpxor	%xmm5, %xmm5, %xmm5
	vpgatherqd	(,%zmm4), %ymm5 {%k5}
	kshiftrq	$56, %k1, %k2
	kshiftrq	$48, %k1, %k1
	vpxor	%xmm4, %xmm4, %xmm4
	vinserti64x4	$1, %ymm8, %zmm1, %zmm0
	vinserti64x4	$1, %ymm9, %zmm3, %zmm1
	vinserti64x4	$1, %ymm2, %zmm5, %zmm2
	vpxor	%xmm3, %xmm3, %xmm3
	vpgatherqd	(,%zmm7), %ymm3 {%k2}
	vpgatherqd	(,%zmm6), %ymm4 {%k1}
	vinserti64x4	$1, %ymm3, %zmm4, %zmm3
	movq	%rbp, %rsp
	popq	%rbp
	retq
.Lfunc_end0:
	.size	gather.i32.4.64, .Lfunc_end0-gather.i32.4.64

	.p2align	4
	.type	ave_coroutine,@function
ave_coroutine:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	movl	%r9d, %ebx
	movl	%ecx, %r14d
	movl	%edx, %r15d
	movq	%rdi, %r12
	movq	48(%rsp), %r13
	movabsq	$aligned_alloc, %rax
	movl	$64, %edi
	movl	$64, %esi
	callq	*%rax
	movabsq	$ave_coroutine.resume, %rcx
	movq	%rcx, (%rax)
	movabsq	$ave_coroutine.destroy, %rcx
	movq	%rcx, 8(%rax)
	movq	%r13, 16(%rax)
	movl	%ebx, 40(%rax)
	movl	%r14d, 36(%rax)
	movl	%r15d, 32(%rax)
	movq	8(%r12), %rcx
	shll	$4, %r14d
	shll	$2, %ebx
	andl	$268435452, %ebx
	addl	%ebx, %r14d
	shlq	$8, %r14
	addq	(%r12), %r14
	movq	%rcx, 24(%rax)
	shll	$4, %r15d
	vmovups	(%r14,%r15,4), %zmm0
	vmovups	256(%r14,%r15,4), %zmm1
	vmovups	512(%r14,%r15,4), %zmm2
	vmovups	768(%r14,%r15,4), %zmm3
	shlq	$6, %rbx
	vmovups	%zmm3, 192(%r13,%rbx)
	vmovups	%zmm2, 128(%r13,%rbx)
	vmovups	%zmm1, 64(%r13,%rbx)
	vmovups	%zmm0, (%r13,%rbx)
	movb	$0, 44(%rax)
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	vzeroupper
	retq
.Lfunc_end1:
	.size	ave_coroutine, .Lfunc_end1-ave_coroutine

	.p2align	4
	.type	ave_run_coroutines,@function
ave_run_coroutines:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$152, %rsp
	movq	%rdx, %r10
	movq	%rsi, %r15
	movq	208(%rsp), %r12
	movl	(%rsi), %eax
	movl	4(%rsi), %esi
	movl	(%r12), %r11d
	movl	4(%r12), %r13d
	xorl	%edx, %edx
	divl	%r11d
	movq	%rax, 112(%rsp)
	movl	%esi, %eax
	xorl	%edx, %edx
	divl	%r13d
	movq	%rax, 104(%rsp)
	imull	%r11d, %r13d
	imull	8(%r12), %r13d
	leaq	(%r10,%r13), %rax
	decq	%rax
	xorl	%edx, %edx
	divq	%r13
	movq	%rax, %rsi
	leaq	(%rcx,%r13), %rax
	decq	%rax
	xorl	%edx, %edx
	divq	%r13
	xorl	%ecx, %ecx
	movq	%rax, 96(%rsp)
	cmpq	%rax, %rsi
	jae	.LBB2_43
	movq	%rsi, %rax
	movq	%rdi, 144(%rsp)
	imull	12(%r12), %r13d
	movl	%r13d, %ecx
	shll	$12, %ecx
	movl	%ecx, 28(%rsp)
	movq	%r8, 40(%rsp)
	movq	%r15, 64(%rsp)
	movq	%r13, 88(%rsp)
	movq	%r9, 16(%rsp)
	jmp	.LBB2_3
	.p2align	4
.LBB2_2:
	movq	120(%rsp), %rax
	incq	%rax
	cmpq	96(%rsp), %rax
	movq	40(%rsp), %r8
	jae	.LBB2_40
.LBB2_3:
	movq	%rax, 120(%rsp)
	xorl	%edx, %edx
	divq	112(%rsp)
	movq	%rdx, 56(%rsp)
	xorl	%edx, %edx
	divq	104(%rsp)
	movq	%rax, 128(%rsp)
	movq	%rdx, 48(%rsp)
	movl	(%r12), %ecx
	movl	4(%r12), %eax
	movl	%eax, 32(%rsp)
	movl	%ecx, 36(%rsp)
	imull	%ecx, %eax
	imull	8(%r12), %eax
	cmpl	$0, 20(%r12)
	je	.LBB2_8
	movq	40(%r12), %rcx
	addq	%r8, %rcx
	movl	12(%r12), %edx
	imull	%eax, %edx
	movl	16(%r12), %esi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm0, 128(%rcx)
	vmovups	%zmm0, 64(%rcx)
	vmovups	%zmm0, (%rcx)
	movl	%edx, 132(%rcx)
	movl	%esi, 136(%rcx)
	movq	%rcx, 144(%rcx)
	testl	%eax, %eax
	je	.LBB2_15
	movl	%eax, %edx
	xorl	%esi, %esi
	movq	208(%rsp), %r11
	movq	40(%rsp), %rbx
	.p2align	4
.LBB2_6:
	movq	32(%r11), %rdi
	cmpq	%rdi, 40(%r11)
	je	.LBB2_8
	movq	24(%r11), %r8
	imulq	%rsi, %r8
	leaq	(%rbx,%r8), %r9
	movq	12(%r11), %r10
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm0, 128(%rdi,%r9)
	vmovups	%zmm0, 64(%rdi,%r9)
	vmovups	%zmm0, (%rdi,%r9)
	negq	%r8
	movq	%r10, 132(%rdi,%r9)
	movq	%rcx, 144(%rdi,%r9)
	movq	%r8, 152(%rdi,%r9)
	incq	%rsi
	cmpq	%rsi, %rdx
	jne	.LBB2_6
.LBB2_8:
	testl	%eax, %eax
	je	.LBB2_15
	movq	56(%rsp), %rcx
	imull	36(%rsp), %ecx
	movq	%rcx, 56(%rsp)
	movq	48(%rsp), %rcx
	imull	32(%rsp), %ecx
	movq	%rcx, 48(%rsp)
	movl	%eax, %eax
	movq	%rax, 136(%rsp)
	movq	208(%rsp), %rax
	movl	12(%rax), %eax
	xorl	%ebx, %ebx
	movq	16(%rsp), %r12
	jmp	.LBB2_12
	.p2align	4
.LBB2_10:
	xorl	%eax, %eax
.LBB2_11:
	incq	%rbx
	cmpq	136(%rsp), %rbx
	je	.LBB2_15
.LBB2_12:
	testl	%eax, %eax
	je	.LBB2_10
	movl	%ebx, %eax
	xorl	%edx, %edx
	divl	36(%rsp)
	movl	%edx, %esi
	xorl	%edx, %edx
	divl	32(%rsp)
	movl	%eax, 80(%rsp)
	xorl	%r14d, %r14d
	addl	56(%rsp), %esi
	movl	%esi, 84(%rsp)
	addl	48(%rsp), %edx
	movl	%edx, 76(%rsp)
	movq	208(%rsp), %r13
	movabsq	$ave_coroutine, %rbp
	movq	128(%rsp), %r15
	.p2align	4
.LBB2_14:
	movl	8(%r13), %r8d
	imull	%r15d, %r8d
	addl	80(%rsp), %r8d
	movq	24(%r13), %rax
	imulq	%rbx, %rax
	addq	40(%rsp), %rax
	movq	%rax, (%rsp)
	movq	144(%rsp), %rdi
	movq	64(%rsp), %rsi
	movl	84(%rsp), %edx
	movl	76(%rsp), %ecx
	movl	%r14d, %r9d
	vzeroupper
	callq	*%rbp
	movq	%rax, (%r12)
	addq	$8, %r12
	incl	%r14d
	movl	12(%r13), %eax
	cmpl	%eax, %r14d
	jb	.LBB2_14
	jmp	.LBB2_11
	.p2align	4
.LBB2_15:
	movq	208(%rsp), %r12
	cmpl	$0, 20(%r12)
	je	.LBB2_17
	movq	40(%r12), %rbx
	addq	40(%rsp), %rbx
	jmp	.LBB2_18
	.p2align	4
.LBB2_17:
	xorl	%ebx, %ebx
.LBB2_18:
	movq	64(%rsp), %r15
	movq	88(%rsp), %r13
	movq	16(%rsp), %rbp
	movl	12(%r15), %eax
	cmpl	$1, %eax
	jbe	.LBB2_28
.LBB2_19:
	movb	$1, %bpl
.LBB2_20:
	testq	%r13, %r13
	movq	16(%rsp), %r14
	je	.LBB2_23
	xorl	%ebx, %ebx
	.p2align	4
.LBB2_22:
	movq	(%r14,%rbx,8), %rdi
	vzeroupper
	callq	*8(%rdi)
	incq	%rbx
	cmpq	%rbx, %r13
	jne	.LBB2_22
.LBB2_23:
	testb	%bpl, %bpl
	je	.LBB2_39
.LBB2_24:
	movl	12(%r15), %eax
	testl	%eax, %eax
	je	.LBB2_2
	movq	%r15, %rdi
	vzeroupper
	callq	*16(%r15)
	testl	%eax, %eax
	je	.LBB2_2
	jmp	.LBB2_42
	.p2align	4
.LBB2_26:
	testb	$1, %al
	je	.LBB2_19
.LBB2_27:
	movl	12(%r15), %eax
	cmpl	$2, %eax
	movq	16(%rsp), %rbp
	jae	.LBB2_19
.LBB2_28:
	movl	12(%r15), %eax
	testl	%eax, %eax
	je	.LBB2_30
	movq	%r15, %rdi
	vzeroupper
	callq	*16(%r15)
	testl	%eax, %eax
	jne	.LBB2_19
.LBB2_30:
	testq	%r13, %r13
	je	.LBB2_37
	xorl	%r14d, %r14d
	xorl	%eax, %eax
	jmp	.LBB2_33
	.p2align	4
.LBB2_32:
	incq	%r14
	cmpq	%r14, %r13
	je	.LBB2_35
.LBB2_33:
	movq	(%rbp,%r14,8), %rdi
	movq	(%rdi), %rcx
	testq	%rcx, %rcx
	je	.LBB2_32
	vzeroupper
	callq	*%rcx
	movb	$1, %al
	jmp	.LBB2_32
	.p2align	4
.LBB2_35:
	testq	%rbx, %rbx
	je	.LBB2_26
	movl	28(%rsp), %ecx
	cmpl	%ecx, 128(%rbx)
	setbe	%bpl
	testb	%al, %bpl
	jne	.LBB2_27
	jmp	.LBB2_20
.LBB2_37:
	testq	%rbx, %rbx
	je	.LBB2_24
	movl	28(%rsp), %eax
	cmpl	%eax, 128(%rbx)
	jbe	.LBB2_24
.LBB2_39:
	movl	$2, %ecx
	jmp	.LBB2_43
.LBB2_40:
	xorl	%ecx, %ecx
	jmp	.LBB2_43
.LBB2_42:
	movl	$3, %ecx
.LBB2_43:
	movq	%rcx, %rax
	addq	$152, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lfunc_end2:
	.size	ave_run_coroutines, .Lfunc_end2-ave_run_coroutines

	.globl	ave_run
	.p2align	4
	.type	ave_run,@function
ave_run:
	pushq	%rbp
	movq	%rsp, %rbp
	andq	$-64, %rsp
	subq	$128, %rsp
	movabsq	$.Lc0, %rax
	movq	%rax, (%rsp)
	movabsq	$ave_run_coroutines, %rax
	leaq	64(%rsp), %r9
	callq	*%rax
	movq	%rbp, %rsp
	popq	%rbp
	retq
.Lfunc_end3:
	.size	ave_run, .Lfunc_end3-ave_run

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI4_0:
	.quad	0
	.quad	64
	.quad	128
	.quad	192
	.quad	256
	.quad	320
	.quad	384
	.quad	448
.LCPI4_1:
	.quad	512
	.quad	576
	.quad	640
	.quad	704
	.quad	768
	.quad	832
	.quad	896
	.quad	960
.LCPI4_2:
	.quad	4
	.quad	68
	.quad	132
	.quad	196
	.quad	260
	.quad	324
	.quad	388
	.quad	452
.LCPI4_3:
	.quad	516
	.quad	580
	.quad	644
	.quad	708
	.quad	772
	.quad	836
	.quad	900
	.quad	964
.LCPI4_4:
	.quad	8
	.quad	72
	.quad	136
	.quad	200
	.quad	264
	.quad	328
	.quad	392
	.quad	456
.LCPI4_5:
	.quad	520
	.quad	584
	.quad	648
	.quad	712
	.quad	776
	.quad	840
	.quad	904
	.quad	968
.LCPI4_6:
	.quad	12
	.quad	76
	.quad	140
	.quad	204
	.quad	268
	.quad	332
	.quad	396
	.quad	460
.LCPI4_7:
	.quad	524
	.quad	588
	.quad	652
	.quad	716
	.quad	780
	.quad	844
	.quad	908
	.quad	972
.LCPI4_8:
	.zero	64,1
	.section	.ltext,"axl",@progbits
	.p2align	4
	.type	ave_coroutine.resume,@function
ave_coroutine.resume:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%r15
	pushq	%r14
	pushq	%rbx
	andq	$-64, %rsp
	subq	$128, %rsp
	movq	%rdi, %rbx
	movl	40(%rdi), %eax
	movl	32(%rdi), %ecx
	movl	36(%rdi), %r14d
	movl	%eax, %edx
	shll	$4, %edx
	andl	$1073741808, %edx
	shll	$4, %ecx
	andl	$67108863, %eax
	addq	16(%rdi), %rdx
	shll	$4, %r14d
	vpbroadcastq	%rdx, %zmm7
	movabsq	$.LCPI4_0, %rdx
	vpaddq	(%rdx), %zmm7, %zmm0
	movabsq	$.LCPI4_1, %rdx
	vpaddq	(%rdx), %zmm7, %zmm1
	movabsq	$.LCPI4_2, %rdx
	vpaddq	(%rdx), %zmm7, %zmm2
	movabsq	$.LCPI4_3, %rdx
	vpaddq	(%rdx), %zmm7, %zmm3
	movabsq	$.LCPI4_4, %rdx
	vpaddq	(%rdx), %zmm7, %zmm4
	movabsq	$.LCPI4_5, %rdx
	vpaddq	(%rdx), %zmm7, %zmm5
	movabsq	$.LCPI4_6, %rdx
	vpaddq	(%rdx), %zmm7, %zmm6
	movabsq	$.LCPI4_7, %rdx
	vpaddq	(%rdx), %zmm7, %zmm7
	leal	(%rcx,%rax,4), %r15d
	shlq	$8, %r15
	addq	24(%rdi), %r15
	movabsq	$.LCPI4_8, %rax
	vmovaps	(%rax), %zmm8
	vmovaps	%zmm8, (%rsp)
	movabsq	$gather.i32.4.64, %rax
	callq	*%rax
	vmovdqu64	%zmm0, (%r15,%r14,4)
	vmovdqu64	%zmm1, 256(%r15,%r14,4)
	vmovdqu64	%zmm2, 512(%r15,%r14,4)
	vmovdqu64	%zmm3, 768(%r15,%r14,4)
	movq	$0, (%rbx)
	leaq	-24(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lfunc_end4:
	.size	ave_coroutine.resume, .Lfunc_end4-ave_coroutine.resume

	.p2align	4
	.type	ave_coroutine.destroy,@function
ave_coroutine.destroy:
	pushq	%rax
	movabsq	$free, %rax
	callq	*%rax
	popq	%rax
	retq
.Lfunc_end5:
	.size	ave_coroutine.destroy, .Lfunc_end5-ave_coroutine.destroy

	.type	.Lc0,@object
	.section	.lrodata,"al",@progbits
	.p2align	6, 0x0
.Lc0:
	.asciz	"\001\000\000\000\001\000\000\000\001\000\000\000\004\000\000\000@\000\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\004\000\000\000\000\000"
	.size	.Lc0, 48

	.section	".note.GNU-stack","",@progbits
