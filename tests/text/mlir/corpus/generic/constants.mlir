"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %c_0 = "stablehlo.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
    %c_1 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi1>} : () -> tensor<0x2xi1>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<-2> : tensor<i2>} : () -> tensor<i2>
    %c_0 = "stablehlo.constant"() {value = dense<[-2, 1, 0, -1]> : tensor<4xi2>} : () -> tensor<4xi2>
    %c_1 = "stablehlo.constant"() {value = dense<[[1, 0], [1, -2]]> : tensor<2x2xi2>} : () -> tensor<2x2xi2>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<-8> : tensor<i4>} : () -> tensor<i4>
    %c_0 = "stablehlo.constant"() {value = dense<[-8, 7, 0, -1]> : tensor<4xi4>} : () -> tensor<4xi4>
    %c_1 = "stablehlo.constant"() {value = dense<[[7, 0], [1, -8]]> : tensor<2x2xi4>} : () -> tensor<2x2xi4>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<-128> : tensor<i8>} : () -> tensor<i8>
    %c_0 = "stablehlo.constant"() {value = dense<[-128, 127, 0, -1]> : tensor<4xi8>} : () -> tensor<4xi8>
    %c_1 = "stablehlo.constant"() {value = dense<[[127, 0], [1, -128]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<-32768> : tensor<i16>} : () -> tensor<i16>
    %c_0 = "stablehlo.constant"() {value = dense<[-32768, 32767, 0, -1]> : tensor<4xi16>} : () -> tensor<4xi16>
    %c_1 = "stablehlo.constant"() {value = dense<[[32767, 0], [1, -32768]]> : tensor<2x2xi16>} : () -> tensor<2x2xi16>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<-2147483648> : tensor<i32>} : () -> tensor<i32>
    %c_0 = "stablehlo.constant"() {value = dense<[-2147483648, 2147483647, 0, -1]> : tensor<4xi32>} : () -> tensor<4xi32>
    %c_1 = "stablehlo.constant"() {value = dense<[[2147483647, 0], [1, -2147483648]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<-9223372036854775808> : tensor<i64>} : () -> tensor<i64>
    %c_0 = "stablehlo.constant"() {value = dense<[-9223372036854775808, 9223372036854775807, 0, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %c_1 = "stablehlo.constant"() {value = dense<[[9223372036854775807, 0], [1, -9223372036854775808]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<3> : tensor<ui2>} : () -> tensor<ui2>
    %c_0 = "stablehlo.constant"() {value = dense<[3, 0, 1]> : tensor<3xui2>} : () -> tensor<3xui2>
    %c_1 = "stablehlo.constant"() {value = dense<[[[3], [2]]]> : tensor<1x2x1xui2>} : () -> tensor<1x2x1xui2>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<15> : tensor<ui4>} : () -> tensor<ui4>
    %c_0 = "stablehlo.constant"() {value = dense<[15, 0, 1]> : tensor<3xui4>} : () -> tensor<3xui4>
    %c_1 = "stablehlo.constant"() {value = dense<[[[15], [2]]]> : tensor<1x2x1xui4>} : () -> tensor<1x2x1xui4>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
    %c_0 = "stablehlo.constant"() {value = dense<[255, 0, 1]> : tensor<3xui8>} : () -> tensor<3xui8>
    %c_1 = "stablehlo.constant"() {value = dense<[[[255], [2]]]> : tensor<1x2x1xui8>} : () -> tensor<1x2x1xui8>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<65535> : tensor<ui16>} : () -> tensor<ui16>
    %c_0 = "stablehlo.constant"() {value = dense<[65535, 0, 1]> : tensor<3xui16>} : () -> tensor<3xui16>
    %c_1 = "stablehlo.constant"() {value = dense<[[[65535], [2]]]> : tensor<1x2x1xui16>} : () -> tensor<1x2x1xui16>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<4294967295> : tensor<ui32>} : () -> tensor<ui32>
    %c_0 = "stablehlo.constant"() {value = dense<[4294967295, 0, 1]> : tensor<3xui32>} : () -> tensor<3xui32>
    %c_1 = "stablehlo.constant"() {value = dense<[[[4294967295], [2]]]> : tensor<1x2x1xui32>} : () -> tensor<1x2x1xui32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<18446744073709551615> : tensor<ui64>} : () -> tensor<ui64>
    %c_0 = "stablehlo.constant"() {value = dense<[18446744073709551615, 0, 1]> : tensor<3xui64>} : () -> tensor<3xui64>
    %c_1 = "stablehlo.constant"() {value = dense<[[[18446744073709551615], [2]]]> : tensor<1x2x1xui64>} : () -> tensor<1x2x1xui64>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.500000e+00, 0.699999988, 9.99999974E-6]> : tensor<4xf32>} : () -> tensor<4xf32>
    %cst_1 = "stablehlo.constant"() {value = dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.000000e+00]> : tensor<4xf32>} : () -> tensor<4xf32>
    %cst_2 = "stablehlo.constant"() {value = dense<[0x4996B438, 1.234560e+05, 12345.6777, 0.333333343, 0x4B800000, 1.000000e-01]> : tensor<6xf32>} : () -> tensor<6xf32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<0.69999999999999996> : tensor<f64>} : () -> tensor<f64>
    %cst_0 = "stablehlo.constant"() {value = dense<[0x4340000000000000, 123456789.125]> : tensor<2xf64>} : () -> tensor<2xf64>
    %cst_1 = "stablehlo.constant"() {value = dense<[0x7FF0000000000000, 0xFFF8000000000000]> : tensor<2xf64>} : () -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<[6.992180e-01, 3.140630e+00, 0x7FC0, 0x7F80]> : tensor<4xbf16>} : () -> tensor<4xbf16>
    %cst_0 = "stablehlo.constant"() {value = dense<-0.000000e+00> : tensor<2xbf16>} : () -> tensor<2xbf16>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<[9.997550e-02, 6.550400e+04, 0x7C00, 0xFE00]> : tensor<4xf16>} : () -> tensor<4xf16>
    %cst_0 = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<f16>} : () -> tensor<f16>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E3M4>} : () -> tensor<2xf8E3M4>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E3M4>} : () -> tensor<2xf8E3M4>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E4M3>} : () -> tensor<2xf8E4M3>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E4M3>} : () -> tensor<2xf8E4M3>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E4M3FN>} : () -> tensor<2xf8E4M3FN>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E4M3FN>} : () -> tensor<2xf8E4M3FN>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E4M3FNUZ>} : () -> tensor<2xf8E4M3FNUZ>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E4M3FNUZ>} : () -> tensor<2xf8E4M3FNUZ>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E4M3B11FNUZ>} : () -> tensor<2xf8E4M3B11FNUZ>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E4M3B11FNUZ>} : () -> tensor<2xf8E4M3B11FNUZ>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E5M2>} : () -> tensor<2xf8E5M2>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E5M2>} : () -> tensor<2xf8E5M2>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf8E5M2FNUZ>} : () -> tensor<2xf8E5M2FNUZ>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E5M2FNUZ>} : () -> tensor<2xf8E5M2FNUZ>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf6E2M3FN>} : () -> tensor<2xf6E2M3FN>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf6E2M3FN>} : () -> tensor<2xf6E2M3FN>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf6E3M2FN>} : () -> tensor<2xf6E3M2FN>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf6E3M2FN>} : () -> tensor<2xf6E3M2FN>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<1.500000e+00> : tensor<2xf4E2M1FN>} : () -> tensor<2xf4E2M1FN>
    %cst_0 = "stablehlo.constant"() {value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf4E2M1FN>} : () -> tensor<2xf4E2M1FN>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E8M0FNU>} : () -> tensor<2xf8E8M0FNU>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<(1.000000e+00,-2.500000e+00)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %cst_0 = "stablehlo.constant"() {value = dense<[(0.000000e+00,0x7F800000), (-0.000000e+00,1.000000e+00)]> : tensor<2xcomplex<f32>>} : () -> tensor<2xcomplex<f32>>
    %cst_1 = "stablehlo.constant"() {value = dense<(1.000000e+00,2.000000e+00)> : tensor<3xcomplex<f64>>} : () -> tensor<3xcomplex<f64>>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<> : tensor<0xf32>} : () -> tensor<0xf32>
    %c = "stablehlo.constant"() {value = dense<> : tensor<2x0x3xi32>} : () -> tensor<2x0x3xi32>
    %cst_0 = "stablehlo.constant"() {value = dense<> : tensor<0xcomplex<f32>>} : () -> tensor<0xcomplex<f32>>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense<"0x000000000000003F0000803F0000C03F0000004000002040000040400000604000008040000090400000A0400000B0400000C0400000D0400000E0400000F0400000004100000841000010410000184100002041000028410000304100003841000040410000484100005041000058410000604100006841000070410000784100008041000084410000884100008C4100009041000094410000984100009C410000A0410000A4410000A8410000AC410000B0410000B4410000B8410000BC410000C0410000C4410000C8410000CC410000D0410000D4410000D8410000DC410000E0410000E4410000E8410000EC410000F0410000F4410000F8410000FC41000000420000024200000442000006420000084200000A4200000C4200000E42000010420000124200001442000016420000184200001A4200001C4200001E42000020420000224200002442000026420000284200002A4200002C4200002E42000030420000324200003442000036420000384200003A4200003C4200003E420000404200004242000044420000464200004842"> : tensor<101xf32>} : () -> tensor<101xf32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<"0x000000000100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F000000100000001100000012000000130000001400000015000000160000001700000018000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000260000002700000028000000290000002A0000002B0000002C0000002D0000002E0000002F000000300000003100000032000000330000003400000035000000360000003700000038000000390000003A0000003B0000003C0000003D0000003E0000003F000000400000004100000042000000430000004400000045000000460000004700000048000000490000004A0000004B0000004C0000004D0000004E0000004F000000500000005100000052000000530000005400000055000000560000005700000058000000590000005A0000005B0000005C0000005D0000005E0000005F000000600000006100000062000000630000006400000065000000660000006700000068000000690000006A0000006B0000006C0000006D000000"> : tensor<11x10xi32>} : () -> tensor<11x10xi32>
    %c_0 = "stablehlo.constant"() {value = dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364"> : tensor<101xi8>} : () -> tensor<101xi8>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<[false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true]> : tensor<102xi1>} : () -> tensor<102xi1>
    %cst = "stablehlo.constant"() {value = dense<"0x0000000000000000000000000000F03F000000000000004000000000000008400000000000001040000000000000144000000000000018400000000000001C40000000000000204000000000000022400000000000002440000000000000264000000000000028400000000000002A400000000000002C400000000000002E4000000000000030400000000000003140000000000000324000000000000033400000000000003440000000000000354000000000000036400000000000003740000000000000384000000000000039400000000000003A400000000000003B400000000000003C400000000000003D400000000000003E400000000000003F40000000000000404000000000008040400000000000004140000000000080414000000000000042400000000000804240000000000000434000000000008043400000000000004440000000000080444000000000000045400000000000804540000000000000464000000000008046400000000000004740000000000080474000000000000048400000000000804840000000000000494000000000008049400000000000004A400000000000804A400000000000004B400000000000804B400000000000004C400000000000804C400000000000004D400000000000804D400000000000004E400000000000804E400000000000004F400000000000804F400000000000005040000000000040504000000000008050400000000000C050400000000000005140000000000040514000000000008051400000000000C051400000000000005240000000000040524000000000008052400000000000C052400000000000005340000000000040534000000000008053400000000000C053400000000000005440000000000040544000000000008054400000000000C054400000000000005540000000000040554000000000008055400000000000C055400000000000005640000000000040564000000000008056400000000000C056400000000000005740000000000040574000000000008057400000000000C057400000000000005840000000000040584000000000008058400000000000C058400000000000005940000000000040594000000000008059400000000000C059400000000000005A400000000000405A400000000000805A400000000000C05A400000000000005B400000000000405B400000000000805B400000000000C05B400000000000005C400000000000405C400000000000805C400000000000C05C400000000000005D400000000000405D400000000000805D400000000000C05D400000000000005E400000000000405E400000000000805E400000000000C05E400000000000005F400000000000405F400000000000805F400000000000C05F40000000000000604000000000002060400000000000406040000000000060604000000000008060400000000000A060400000000000C060400000000000E06040000000000000614000000000002061400000000000406140000000000060614000000000008061400000000000A061400000000000C061400000000000E06140000000000000624000000000002062400000000000406240000000000060624000000000008062400000000000A062400000000000C062400000000000E06240000000000000634000000000002063400000000000406340000000000060634000000000008063400000000000A063400000000000C063400000000000E06340000000000000644000000000002064400000000000406440000000000060644000000000008064400000000000A064400000000000C064400000000000E06440000000000000654000000000002065400000000000406540000000000060654000000000008065400000000000A065400000000000C065400000000000E06540000000000000664000000000002066400000000000406640000000000060664000000000008066400000000000A066400000000000C066400000000000E06640000000000000674000000000002067400000000000406740000000000060674000000000008067400000000000A067400000000000C067400000000000E06740000000000000684000000000002068400000000000406840000000000060684000000000008068400000000000A068400000000000C068400000000000E0684000000000000069400000000000206940"> : tensor<101xcomplex<f64>>} : () -> tensor<101xcomplex<f64>>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {value = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99]> : tensor<100xi16>} : () -> tensor<100xi16>
    %c_0 = "stablehlo.constant"() {value = dense<7> : tensor<1000x1000xi64>} : () -> tensor<1000x1000xi64>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %c = "stablehlo.constant"() {foo, value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %cst = "stablehlo.constant"() {a = 1 : i64, sdy.x = "y", value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32>
    %0 = "sdy.constant"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
    %1 = "sdy.constant"() {foo, value = dense<0.000000e+00> : tensor<4xf32>} : () -> tensor<4xf32>
    %cst_0 = "stablehlo.constant"() {value = dense<3> : tensor<1xi8>} : () -> tensor<1x!quant.uniform<i8:f32, 2.000000e+00:15>>
    %c_1 = "stablehlo.constant"() {value = dense<5> : tensor<ui8>} : () -> tensor<ui8>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %cst = "stablehlo.constant"() {value = dense_resource<a> : tensor<2xf32>} : () -> tensor<2xf32>
    %cst_0 = "stablehlo.constant"() {value = dense_resource<__elided__> : tensor<1000xf32>} : () -> tensor<1000xf32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      a: "0x040000000000803F00000040"
    }
  }
#-}
