mfma_gemm:
.Lfunc_begin0:
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	s_load_dwordx2 s[16:17], s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x18
	s_lshl_b32 s0, s3, 5
	s_lshl_b32 s2, s2, 5
	v_lshrrev_b32_e32 v1, 5, v0
	v_and_b32_e32 v18, 31, v0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s1, s4, s0
	s_min_u32 s4, s1, 32
	s_sub_i32 s1, s5, s2
	s_min_u32 s7, s1, 32
	s_lshr_b32 s18, s6, 4
	s_mov_b32 s1, 0
	v_lshlrev_b32_e32 v19, 4, v1
	v_lshlrev_b32_e32 v1, 4, v0
	s_cbranch_scc0 .LBB0_10
	s_mul_i32 s0, s6, s0
	s_lshl_b64 s[8:9], s[0:1], 1
	s_add_u32 s8, s12, s8
	s_addc_u32 s0, s13, s9
	s_and_b32 s9, s0, 0xffff
	s_mul_i32 s0, s6, s2
	s_lshl_b32 s12, s6, 1
	s_lshl_b64 s[0:1], s[0:1], 1
	s_mul_i32 s10, s12, s4
	s_mov_b32 s11, 0x27000
	s_add_u32 s0, s14, s0
	s_addc_u32 s1, s15, s1
	s_mul_i32 s19, s12, s7
	s_mov_b64 s[14:15], s[10:11]
	s_and_b32 s1, s1, 0xffff
	s_mov_b64 s[12:13], s[8:9]
	v_mul_lo_u32 v2, v18, s6
	s_mov_b32 s12, s0
	s_mov_b32 s13, s1
	s_mov_b32 s14, s19
	v_lshl_add_u32 v20, v2, 1, v19
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
.LBB0_2:
	buffer_load_dwordx4 v[22:25], v20, s[8:11], 0 offen
	buffer_load_dwordx4 v[26:29], v20, s[12:15], 0 offen
	s_add_i32 s18, s18, -1
	v_add_u32_e32 v20, 32, v20
	s_cmp_lg_u32 s18, 0
	s_waitcnt vmcnt(1)
	ds_write_b128 v1, v[22:25] offset:4096
	s_waitcnt vmcnt(0)
	ds_write_b128 v1, v[26:29] offset:5120
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[22:25], v1 offset:4096
	ds_read_b128 v[26:29], v1 offset:5120
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_bf16 v[2:17], v[26:27], v[22:23], v[2:17]
	v_mfma_f32_32x32x8_bf16 v[2:17], v[28:29], v[24:25], v[2:17]
	s_cbranch_scc1 .LBB0_2
	s_branch .LBB0_5
.LBB0_4:
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
.LBB0_5:
	s_mul_i32 s3, s3, s5
	s_lshl_b32 s10, s7, 2
	s_lshl_b32 s0, s3, 5
	s_mov_b32 s7, 0
	v_lshl_add_u32 v18, v18, 7, v19
	v_cmp_gt_u32_e32 vcc, 8, v0
	s_add_i32 s6, s0, s2
	s_mov_b32 s3, 0x27000
	v_mov_b32_e32 v0, v1
	s_mov_b32 s11, s7
	ds_write_b128 v18, v[2:5]
	ds_write_b128 v18, v[6:9] offset:32
	ds_write_b128 v18, v[10:13] offset:64
	ds_write_b128 v18, v[14:17] offset:96
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_7
.LBB0_6:
	s_or_b64 exec, exec, s[8:9]
	s_add_i32 s11, s11, 1
	s_add_i32 s6, s6, s5
	s_cmp_lg_u32 s11, 32
	v_add_u32_e32 v0, 0x80, v0
	s_cbranch_scc0 .LBB0_9
.LBB0_7:
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_6
	s_cmp_lt_u32 s11, s4
	ds_read_b128 v[2:5], v0
	s_cselect_b32 s2, s10, 0
	s_lshl_b64 s[0:1], s[6:7], 2
	s_add_u32 s0, s16, s0
	s_addc_u32 s1, s17, s1
	s_and_b32 s1, s1, 0xffff
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[2:5], v1, s[0:3], 0 offen
	s_branch .LBB0_6
.Ltmp0:
.LBB0_9:
	s_endpgm
.LBB0_10:
	s_cbranch_execnz .LBB0_4
	s_branch .LBB0_5
.Lfunc_end0:
