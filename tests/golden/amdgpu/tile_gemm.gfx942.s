gemm:
.Lfunc_begin0:
	s_load_dwordx4 s[4:7], s[0:1], 0x18
	s_waitcnt lgkmcnt(0)
	s_add_i32 s3, s4, 31
	s_add_i32 s7, s5, 31
	s_lshr_b32 s3, s3, 5
	s_lshr_b32 s7, s7, 5
	s_mul_i32 s8, s7, s3
	s_cmp_ge_u32 s2, s8
	s_cbranch_scc1 .LBB0_12
	s_lshr_b32 s9, s2, 3
	s_and_b32 s2, s2, 7
	s_lshr_b32 s10, s8, 3
	s_and_b32 s8, s8, 7
	s_mul_i32 s10, s10, s2
	s_min_u32 s2, s2, s8
	s_add_i32 s2, s2, s9
	s_add_i32 s2, s2, s10
	s_lshl_b32 s8, s7, 3
	s_cmp_eq_u32 s7, 0
	s_cselect_b32 s9, 1, s8
	v_cvt_f32_u32_e32 v1, s9
	s_sub_i32 s10, 0, s9
	v_lshlrev_b32_e32 v3, 3, v0
	v_and_b32_e32 v2, 24, v3
	v_rcp_iflag_f32_e32 v1, v1
	v_lshlrev_b32_e32 v6, 1, v2
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s11, v1
	s_mul_i32 s10, s10, s11
	s_mul_hi_u32 s10, s11, s10
	s_add_i32 s11, s11, s10
	s_mul_hi_u32 s10, s2, s11
	s_mul_i32 s11, s10, s9
	s_sub_i32 s11, s2, s11
	s_add_i32 s12, s10, 1
	s_sub_i32 s13, s11, s9
	s_cmp_ge_u32 s11, s9
	s_cselect_b32 s10, s12, s10
	s_cselect_b32 s11, s13, s11
	s_add_i32 s12, s10, 1
	s_cmp_ge_u32 s11, s9
	s_cselect_b32 s9, s12, s10
	s_lshl_b32 s10, s9, 3
	s_mul_i32 s9, s9, s8
	s_cmp_eq_u32 s7, 0
	s_cselect_b32 s7, 0, s9
	s_cselect_b32 s8, -8, s10
	s_sub_i32 s9, s2, s7
	s_sub_i32 s2, s3, s8
	s_min_u32 s7, s2, 8
	s_cmp_eq_u32 s3, s8
	s_cselect_b32 s2, 1, s7
	v_cvt_f32_ubyte0_e32 v1, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_sub_i32 s10, 0, s2
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s11, v1
	s_mul_i32 s10, s10, s11
	s_mul_hi_u32 s10, s11, s10
	s_add_i32 s11, s11, s10
	s_mul_hi_u32 s10, s9, s11
	s_mul_i32 s11, s10, s2
	s_sub_i32 s11, s9, s11
	s_add_i32 s12, s10, 1
	s_sub_i32 s13, s11, s2
	s_cmp_ge_u32 s11, s2
	s_cselect_b32 s10, s12, s10
	s_cselect_b32 s11, s13, s11
	s_add_i32 s12, s10, 1
	s_cmp_ge_u32 s11, s2
	s_cselect_b32 s10, s12, s10
	s_lshl_b32 s11, s10, 5
	s_cmp_eq_u32 s3, s8
	s_mul_i32 s7, s7, s10
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	s_cselect_b32 s0, 0, s7
	s_cselect_b32 s7, 0xffffffe0, s11
	s_add_i32 s9, s9, s8
	s_sub_i32 s0, s9, s0
	s_lshl_b32 s18, s0, 5
	s_and_b32 s24, s6, -8
	s_min_u32 s0, s18, 0x80000000
	s_min_u32 s19, s0, s4
	s_add_i32 s0, s0, 32
	s_lshr_b32 s1, s6, 31
	s_lshl_b32 s25, s24, 1
	s_min_u32 s20, s0, s4
	s_mul_i32 s8, s1, s19
	s_mul_hi_u32 s9, s25, s19
	s_sub_i32 s0, s20, s19
	s_add_i32 s9, s9, s8
	s_mul_i32 s8, s25, s19
	s_waitcnt lgkmcnt(0)
	s_add_u32 s8, s12, s8
	s_addc_u32 s9, s13, s9
	s_mul_i32 s10, s25, s0
	s_min_u32 s0, s7, 0x80000000
	s_min_u32 s12, s0, s5
	s_add_i32 s0, s0, 32
	s_min_u32 s0, s0, s5
	s_mul_i32 s1, s1, s12
	s_mul_hi_u32 s13, s25, s12
	s_and_b32 s9, s9, 0xffff
	s_sub_i32 s0, s0, s12
	s_add_i32 s13, s13, s1
	s_mul_i32 s1, s25, s12
	s_add_u32 s1, s14, s1
	s_mov_b32 s11, 0x27000
	s_addc_u32 s12, s15, s13
	s_mul_i32 s25, s25, s0
	s_and_b32 s0, s12, 0xffff
	s_mov_b64 s[14:15], s[10:11]
	s_mov_b64 s[12:13], s[8:9]
	s_mov_b32 s13, s0
	v_readfirstlane_b32 s0, v0
	s_mov_b32 s12, s1
	s_lshr_b32 s1, s0, 2
	s_lshr_b32 s22, s0, 7
	s_and_b32 s21, s1, 16
	s_and_b32 s23, s22, 0x1fffffe
	v_lshrrev_b32_e32 v1, 2, v0
	s_cmp_eq_u32 s22, s23
	v_and_or_b32 v1, v1, 15, s21
	s_cselect_b64 s[0:1], -1, 0
	s_and_b64 vcc, exec, s[0:1]
	v_lshlrev_b32_e32 v7, 3, v1
	s_cbranch_vccnz .LBB0_3
	v_lshl_or_b32 v4, v1, 6, v6
	v_and_b32_e32 v5, 48, v7
	v_xor_b32_e32 v4, v5, v4
	s_mov_b32 s14, s25
	v_mul_lo_u32 v5, v1, s24
	s_cbranch_execz .LBB0_4
	s_branch .LBB0_5
.LBB0_3:
	s_mov_b32 s14, s25
	v_mul_lo_u32 v5, v1, s24
.LBB0_4:
	v_or_b32_e32 v4, 32, v2
	v_add_lshl_u32 v8, v5, v4, 1
	v_bfrev_b32_e32 v9, 1
	v_cmp_gt_u32_e32 vcc, s6, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v9, v8, vcc
	v_add_lshl_u32 v8, v5, v2, 1
	v_cmp_gt_u32_e32 vcc, s6, v2
	s_nop 1
	v_cndmask_b32_e32 v8, v9, v8, vcc
	buffer_load_dwordx4 v[10:13], v8, s[8:11], 0 offen
	buffer_load_dwordx4 v[14:17], v8, s[12:15], 0 offen
	buffer_load_dwordx4 v[18:21], v4, s[8:11], 0 offen
	buffer_load_dwordx4 v[22:25], v4, s[12:15], 0 offen
	v_lshl_or_b32 v4, v1, 6, v6
	v_and_b32_e32 v6, 48, v7
	v_xor_b32_e32 v4, v6, v4
	s_waitcnt vmcnt(3)
	ds_write_b128 v4, v[10:13]
	s_waitcnt vmcnt(2)
	ds_write_b128 v4, v[14:17] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b128 v4, v[18:21] offset:2048
	s_waitcnt vmcnt(0)
	ds_write_b128 v4, v[22:25] offset:6144
.LBB0_5:
	v_or_b32_e32 v7, 64, v2
	v_add_lshl_u32 v8, v5, v7, 1
	v_bfrev_b32_e32 v6, 1
	v_cmp_gt_u32_e32 vcc, s6, v7
	v_and_b32_e32 v9, 15, v0
	s_sub_i32 s16, s22, s23
	v_cndmask_b32_e32 v7, v6, v8, vcc
	v_or_b32_e32 v8, 0x60, v2
	v_add_lshl_u32 v5, v5, v8, 1
	v_cmp_gt_u32_e32 vcc, s6, v8
	s_lshr_b32 s17, s6, 3
	v_and_b32_e32 v10, 3, v0
	v_cndmask_b32_e32 v5, v6, v5, vcc
	buffer_load_dwordx4 v[12:15], v7, s[8:11], 0 offen
	buffer_load_dwordx4 v[16:19], v5, s[8:11], 0 offen
	buffer_load_dwordx4 v[24:27], v7, s[12:15], 0 offen
	buffer_load_dwordx4 v[20:23], v5, s[12:15], 0 offen
	v_bfe_u32 v5, v0, 4, 2
	v_sub_u32_e64 v7, s6, 1 clamp
	v_or_b32_e32 v8, 0xa0, v2
	v_or_b32_e32 v2, s21, v9
	v_lshlrev_b32_e32 v11, 4, v5
	v_readfirstlane_b32 s22, v7
	v_lshl_or_b32 v7, s16, 4, v9
	v_mul_lo_u32 v1, s17, v1
	v_lshlrev_b32_e32 v9, 4, v10
	v_lshl_or_b32 v28, v2, 6, v11
	v_lshlrev_b32_e32 v2, 3, v2
	v_lshl_add_u32 v9, v1, 4, v9
	v_and_b32_e32 v1, 48, v2
	v_and_b32_e32 v3, 48, v3
	v_lshl_or_b32 v10, v7, 6, v11
	v_xor_b32_e32 v11, v1, v28
	v_xor_b32_e32 v10, v3, v10
	s_lshr_b32 s16, s22, 6
	v_cndmask_b32_e64 v36, 0, 1, s[0:1]
	v_mov_b32_e32 v0, 0
	s_add_i32 s16, s16, 1
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_cmp_ne_u32_e64 s[0:1], 1, v36
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[28:31], v11 offset:4096
	ds_read_b128 v[32:35], v10
	s_branch .LBB0_7
.LBB0_6:
	v_cmp_gt_u32_e32 vcc, s6, v8
	s_waitcnt vmcnt(3)
	v_add_u32_e32 v16, 0x140, v9
	v_cndmask_b32_e32 v36, v6, v16, vcc
	buffer_load_dwordx4 v[16:19], v36, s[8:11], 0 offen
	buffer_load_dwordx4 v[20:23], v36, s[12:15], 0 offen
	s_add_i32 s16, s16, -1
	v_add_u32_e32 v9, 0x80, v9
	s_cmp_lg_u32 s16, 0
	v_add_u32_e32 v8, 64, v8
	s_cbranch_scc0 .LBB0_11
.LBB0_7:
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_bf16 v[0:3], v[28:29], v[32:33], v[0:3]
	v_mfma_f32_16x16x16_bf16 v[0:3], v[30:31], v[34:35], v[0:3]
	s_barrier
	ds_read_b128 v[28:31], v11 offset:6144
	ds_read_b128 v[32:35], v10 offset:2048
	s_and_b64 vcc, exec, s[0:1]
	s_cbranch_vccnz .LBB0_9
	s_waitcnt vmcnt(3)
	ds_write_b128 v4, v[12:15]
	s_waitcnt vmcnt(1)
	ds_write_b128 v4, v[24:27] offset:4096
.LBB0_9:
	s_waitcnt vmcnt(3)
	v_subrev_u32_e32 v12, 32, v8
	v_cmp_gt_u32_e32 vcc, s6, v12
	v_add_u32_e32 v12, 0x100, v9
	s_nop 0
	v_cndmask_b32_e32 v36, v6, v12, vcc
	buffer_load_dwordx4 v[12:15], v36, s[8:11], 0 offen
	buffer_load_dwordx4 v[24:27], v36, s[12:15], 0 offen
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_bf16 v[0:3], v[28:29], v[32:33], v[0:3]
	v_mfma_f32_16x16x16_bf16 v[0:3], v[30:31], v[34:35], v[0:3]
	s_barrier
	ds_read_b128 v[28:31], v11 offset:4096
	ds_read_b128 v[32:35], v10
	s_and_b64 vcc, exec, s[0:1]
	s_cbranch_vccnz .LBB0_6
	s_waitcnt vmcnt(3)
	ds_write_b128 v4, v[16:19] offset:2048
	s_waitcnt vmcnt(2)
	ds_write_b128 v4, v[20:23] offset:6144
	s_branch .LBB0_6
.LBB0_11:
	s_add_i32 s0, s18, 32
	s_and_b32 s6, s5, -8
	s_min_u32 s1, s0, s4
	s_cmp_gt_i32 s0, -1
	s_cselect_b32 s0, s1, 0
	s_cmp_gt_u32 s18, 0x80000000
	s_cselect_b32 s4, 0, s19
	s_cselect_b32 s0, s0, s20
	s_sub_i32 s13, s0, s4
	s_mul_hi_u32 s1, s6, s4
	s_mul_i32 s0, s6, s4
	s_sub_i32 s12, s18, s4
	s_lshl_b64 s[0:1], s[0:1], 2
	s_add_u32 s8, s2, s0
	s_addc_u32 s0, s3, s1
	s_add_i32 s21, s21, s7
	s_mul_i32 s1, s6, s13
	v_add_u32_e32 v4, s12, v7
	v_lshl_add_u32 v5, v5, 2, s21
	s_lshl_b32 s10, s1, 2
	s_and_b32 s9, s0, 0xffff
	v_cmp_gt_u32_e32 vcc, s13, v4
	v_cmp_gt_u32_e64 s[0:1], s5, v5
	v_mul_lo_u32 v4, v4, s6
	v_add_lshl_u32 v4, v4, v5, 2
	v_bfrev_b32_e32 v5, 1
	s_and_b64 vcc, vcc, s[0:1]
	s_mov_b32 s11, 0x27000
	v_cndmask_b32_e32 v4, v5, v4, vcc
	buffer_store_dwordx4 v[0:3], v4, s[8:11], 0 offen
.Ltmp0:
.LBB0_12:
	s_endpgm
.Lfunc_end0:
