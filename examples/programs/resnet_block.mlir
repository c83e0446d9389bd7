// A residual block with batch norm, and its backward pass.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @resnet_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:8 = call @inputs() : () -> (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %want:8 = call @expected() : () -> (tensor<f64>, tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %v1 = stablehlo.convolution(%in#0, %in#2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>) -> tensor<2x3x4x2xf64>
    %v2:3 = "stablehlo.batch_norm_training"(%v1, %in#3, %in#4) <{epsilon = 0.00999999977 : f32, feature_index = 3 : i64}> : (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %v3 = stablehlo.constant dense<0.0> : tensor<f64>
    %v4 = stablehlo.broadcast_in_dim %v3, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v5 = stablehlo.maximum %v2#0, %v4 : tensor<2x3x4x2xf64>
    %v6 = stablehlo.convolution(%v5, %in#5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>) -> tensor<2x3x4x2xf64>
    %v7:3 = "stablehlo.batch_norm_training"(%v6, %in#6, %in#7) <{epsilon = 0.00999999977 : f32, feature_index = 3 : i64}> : (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %v8 = stablehlo.add %v7#0, %in#0 : tensor<2x3x4x2xf64>
    %v9 = stablehlo.constant dense<0.0> : tensor<f64>
    %v10 = stablehlo.broadcast_in_dim %v9, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v11 = stablehlo.maximum %v8, %v10 : tensor<2x3x4x2xf64>
    %v12 = stablehlo.multiply %v11, %in#1 : tensor<2x3x4x2xf64>
    %v13 = stablehlo.constant dense<0.0> : tensor<f64>
    %v14 = stablehlo.reduce(%v12 init: %v13) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x4x2xf64>, tensor<f64>) -> tensor<f64>
    %v15 = stablehlo.constant dense<1.0> : tensor<f64>
    %v16 = stablehlo.broadcast_in_dim %v15, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v17 = stablehlo.multiply %v16, %in#1 : tensor<2x3x4x2xf64>
    %v18 = stablehlo.multiply %v16, %v11 : tensor<2x3x4x2xf64>
    %v19 = stablehlo.compare GT, %v8, %v10 : (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>) -> tensor<2x3x4x2xi1>
    %v20 = stablehlo.constant dense<0.0> : tensor<f64>
    %v21 = stablehlo.broadcast_in_dim %v20, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v22 = stablehlo.multiply %v17, %v21 : tensor<2x3x4x2xf64>
    %v23 = stablehlo.select %v19, %v17, %v22 : tensor<2x3x4x2xi1>, tensor<2x3x4x2xf64>
    %v24 = stablehlo.compare GT, %v8, %v10 : (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>) -> tensor<2x3x4x2xi1>
    %v25 = stablehlo.constant dense<0.0> : tensor<f64>
    %v26 = stablehlo.broadcast_in_dim %v25, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v27 = stablehlo.multiply %v17, %v26 : tensor<2x3x4x2xf64>
    %v28 = stablehlo.select %v24, %v27, %v17 : tensor<2x3x4x2xi1>, tensor<2x3x4x2xf64>
    %v29 = stablehlo.constant dense<0.0> : tensor<f64>
    %v30 = stablehlo.reduce(%v28 init: %v29) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x4x2xf64>, tensor<f64>) -> tensor<f64>
    %v31:3 = "stablehlo.batch_norm_grad"(%v6, %in#6, %v7#1, %v7#2, %v23) <{epsilon = 0.00999999977 : f32, feature_index = 3 : i64}> : (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x3x4x2xf64>) -> (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %v32 = stablehlo.reverse %in#5, dims = [0, 1] : tensor<3x3x2x2xf64>
    %v33 = stablehlo.convolution(%v31#0, %v32) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>) -> tensor<2x3x4x2xf64>
    %v34 = stablehlo.convolution(%v5, %v31#0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>) -> tensor<3x3x2x2xf64>
    %v35 = stablehlo.compare GT, %v2#0, %v4 : (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>) -> tensor<2x3x4x2xi1>
    %v36 = stablehlo.constant dense<0.0> : tensor<f64>
    %v37 = stablehlo.broadcast_in_dim %v36, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v38 = stablehlo.multiply %v33, %v37 : tensor<2x3x4x2xf64>
    %v39 = stablehlo.select %v35, %v33, %v38 : tensor<2x3x4x2xi1>, tensor<2x3x4x2xf64>
    %v40 = stablehlo.compare GT, %v2#0, %v4 : (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>) -> tensor<2x3x4x2xi1>
    %v41 = stablehlo.constant dense<0.0> : tensor<f64>
    %v42 = stablehlo.broadcast_in_dim %v41, dims = [] : (tensor<f64>) -> tensor<2x3x4x2xf64>
    %v43 = stablehlo.multiply %v33, %v42 : tensor<2x3x4x2xf64>
    %v44 = stablehlo.select %v40, %v43, %v33 : tensor<2x3x4x2xi1>, tensor<2x3x4x2xf64>
    %v45 = stablehlo.constant dense<0.0> : tensor<f64>
    %v46 = stablehlo.reduce(%v44 init: %v45) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x4x2xf64>, tensor<f64>) -> tensor<f64>
    %v47:3 = "stablehlo.batch_norm_grad"(%v1, %in#3, %v2#1, %v2#2, %v39) <{epsilon = 0.00999999977 : f32, feature_index = 3 : i64}> : (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x3x4x2xf64>) -> (tensor<2x3x4x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %v48 = stablehlo.reverse %in#2, dims = [0, 1] : tensor<3x3x2x2xf64>
    %v49 = stablehlo.convolution(%v47#0, %v48) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>) -> tensor<2x3x4x2xf64>
    %v50 = stablehlo.convolution(%in#0, %v47#0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>) -> tensor<3x3x2x2xf64>
    %v51 = stablehlo.add %v23, %v49 : tensor<2x3x4x2xf64>
    check.expect_almost_eq %v14, %want#0, tolerance = 1.0e-11 : tensor<f64>
    check.expect_almost_eq %v51, %want#1, tolerance = 1.0e-06 : tensor<2x3x4x2xf64>
    check.expect_almost_eq %v50, %want#2, tolerance = 1.0e-06 : tensor<3x3x2x2xf64>
    check.expect_almost_eq %v47#1, %want#3, tolerance = 1.0e-06 : tensor<2xf64>
    check.expect_almost_eq %v47#2, %want#4, tolerance = 1.0e-06 : tensor<2xf64>
    check.expect_almost_eq %v34, %want#5, tolerance = 1.0e-06 : tensor<3x3x2x2xf64>
    check.expect_almost_eq %v31#1, %want#6, tolerance = 1.0e-06 : tensor<2xf64>
    check.expect_almost_eq %v31#2, %want#7, tolerance = 1.0e-06 : tensor<2xf64>
    return
  }
  func.func private @inputs() -> (tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>) {
    %c0 = stablehlo.constant dense<[[[[-0.6517911526116896, -0.17471729232577715], [1.6637239913911968, 0.659147749832255], [-1.6413972945846467, -0.005203264171931977], [-0.6234637409883934, 0.14863152325202633]], [[-1.608187784186389, 0.2417718768768513], [0.23538091873745476, 1.5756260314314627], [0.3166450164719021, 0.5105466616976417], [-1.4931166849642326, 2.2527291247240275]], [[-1.9156455579583005, 1.1018018558224842], [-0.3299040738738497, -0.8806465179277969], [-0.6562850109290311, -0.6720146806586559], [0.3801890922489917, -0.11005869527805158]]], [[[1.482571163033857, -1.8296040234453508], [-0.0030809646658509597, -0.892055788321591], [0.7758718474580595, -2.118060042185068], [-0.3436943500994811, 0.21017292733610196]], [[-1.4842685839963512, 0.9852155828581877], [0.1787134291183962, 1.006856770707084], [0.9591848586745111, -0.9798545663746768], [-0.7977957578895382, -0.20333248577190258]], [[0.7479597259631346, 0.8509672909755427], [-0.7096848707086849, -0.6071971852553313], [-0.7978229151665286, -0.584238229157347], [-0.2379233775647261, -0.13181504769026442]]]]> : tensor<2x3x4x2xf64>
    %c1 = stablehlo.constant dense<[[[[1.6820210064715346, -0.13109289942963767], [0.13526021392558873, 1.2246342222815874], [0.26955030257702084, 0.7544998572882148], [0.6098595259521409, -1.1349119482914842]], [[-0.8589410118190506, -2.641338844163023], [-0.2601207042167583, 1.338837428330753], [-1.1092067436790745, 1.2338035734185084], [0.9995461729736715, -0.05484218663972172]], [[-0.007611643764543189, 0.08283314085951675], [-0.8610869137790327, -0.28233040463147097], [-0.04656430657923056, 0.611937945639494], [0.7918128456176918, -0.7427380514871819]]], [[[0.825713141083434, -0.7778705404988745], [-0.16891653297744932, 0.36950535567059684], [-0.02265339704007352, -0.12696083044176004], [0.2694412578838159, -0.5527990484546487]], [[-0.6526661441559254, -0.20411410779129852], [0.9612712123960654, -0.1016680803594762], [1.904521332881238, 0.2142532717506217], [-2.974398618140543, -0.43955369675751277]], [[1.6650341073744352, 0.006345834984433874], [-0.43783367636909615, -0.8736597389981599], [1.3237978282395066, 1.0028245269859126], [0.6720348492501695, 0.4281019403409819]]]]> : tensor<2x3x4x2xf64>
    %c2 = stablehlo.constant dense<[[[[2.058114468497711, -0.5064036597864299], [-0.28872436702922194, 0.4585777290940279]], [[-0.9530740655699254, -0.36862714912240996], [0.013318481161013024, 0.7741459470172646]], [[-1.3160148587467566, 1.3714694572870232], [-0.35245736590160387, 0.1694164211036251]]], [[[0.8470883039345106, 0.6607929217270263], [1.059231886175497, 0.17319781643187807]], [[-0.019613353374506273, 0.3164785392796004], [-0.9957153901865851, 1.2141873689841987]], [[-0.7753862486410281, -1.2602438798825923], [2.0564087809385283, -0.13644493951285103]]], [[[-1.179124872329948, 1.8522697201129288], [-0.3297126244250999, 1.0620757877855616]], [[-0.8294887233474758, -0.24878002125463117], [-1.6885293534763577, -1.908939358835272]], [[-0.9764345880627332, -0.07803901853109632], [0.7979857101860429, 2.426220501220823]]]]> : tensor<3x3x2x2xf64>
    %c3 = stablehlo.constant dense<[-1.0318629950946103, 1.0090402997688306]> : tensor<2xf64>
    %c4 = stablehlo.constant dense<[-0.6043409584858992, -0.15252930610285104]> : tensor<2xf64>
    %c5 = stablehlo.constant dense<[[[[-1.4811916182972398, -1.4789857368704227], [-0.7784606028005082, -1.1931106223006203]], [[-0.0035543906764923003, -0.7025144637985207], [1.2506970737478889, 0.153019711281495]], [[0.1652381892572177, 1.137435198692834], [0.5181122690366925, -0.03733298208606922]]], [[[-0.09072336166740325, -0.12094863720166933], [1.076721956055248, 0.7830856166867024]], [[0.36591795790617554, 0.7988293270822742], [-0.5445332988553511, 0.5110228046676667]], [[-1.4123336629703387, 1.3472705522559003], [0.09004825886490181, 0.18339300077143716]]], [[[0.599383845795459, -0.009709574361003654], [-0.25410788491596265, 1.1897846220814097]], [[0.11575067070989448, -0.9158716729607007], [0.4395589157792016, -1.7051204421874975]], [[1.6555424372356622, -0.1711311122004771], [0.04588385344649914, 2.2577704585568408]]]]> : tensor<3x3x2x2xf64>
    %c6 = stablehlo.constant dense<[2.1517410791156424, 0.11580667996735006]> : tensor<2xf64>
    %c7 = stablehlo.constant dense<[0.6248663505788951, 1.09017986530538]> : tensor<2xf64>
    return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7 : tensor<2x3x4x2xf64>, tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>
  }
  func.func private @expected() -> (tensor<f64>, tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>) {
    %c0 = stablehlo.constant dense<-1.7655643292197465> : tensor<f64>
    %c1 = stablehlo.constant dense<[[[[-0.12680200811576725, -0.4915779844516521], [0.825184886688035, 1.099387969261123], [-1.7269492791571748, 0.8760773709370894], [0.29120067024379637, -0.3409100995943603]], [[0.7089569537876982, -2.5263783137274842], [-1.5346218097844753, 0.8201679795760696], [-1.4412814821618267, -0.11952179541641071], [0.9475018209803564, 1.9492475609395041]], [[0.6015252153046546, 0.4694535291838164], [-1.0089355005016287, -1.200411536061985], [1.4667955563485433, 3.6240393705311287], [0.9665794969304641, -2.584993660637025]]], [[[-0.030733116784809052, -0.03763660574307437], [0.9197537603533589, 0.6287647819513964], [-0.8417334751431581, 1.3057705290142607], [-2.426905969787896, -3.0460494495621044]], [[-0.19982029970666557, -0.016106757438905106], [2.31237010619445, 2.1668864226942475], [-2.685708824312627, -4.518206762660348], [-2.54522787985767, 6.742487636723914]], [[0.9417077555307073, 0.12017150299303835], [0.5054839536722255, 0.17471156825710207], [-0.4102790245763543, 1.5402995193536382], [0.012070821719945, 0.3806586391652544]]]]> : tensor<2x3x4x2xf64>
    %c2 = stablehlo.constant dense<[[[[-0.5995808245007339, -4.123993448867935], [0.5493721464855383, 0.8388989606755713]], [[0.5390430196650087, 1.908816389928347], [1.3616151619766368, 0.38839010720881356]], [[0.5480400802282404, 1.1613772586516191], [-0.06767235727345167, -2.094854341017083]]], [[[-0.8819932924009065, -0.43535051528209573], [1.0479995911527595, 3.9918178663889132]], [[0.6221021992214304, -0.15196232101555296], [-2.2364715733136364, -3.1030899414030695]], [[-0.856118316372445, -1.031513661930994], [-0.43736093924273683, -0.8093029470801482]]], [[[0.4022210740473042, -2.070497779071978], [0.20561952955855387, 3.024179784882896]], [[0.06106322847365674, 3.9760587053239145], [-0.4849564164022268, -0.9643040019602366]], [[0.02494897493043879, -1.3389725063372993], [0.050576702870230854, -0.6750877608707739]]]]> : tensor<3x3x2x2xf64>
    %c3 = stablehlo.constant dense<[2.3319773969854296, 1.4146505802781204]> : tensor<2xf64>
    %c4 = stablehlo.constant dense<[-1.9217357990930493, 1.4319821358466098]> : tensor<2xf64>
    %c5 = stablehlo.constant dense<[[[[-0.05137811083244514, 0.035910650986181736], [0.0334954271208332, 0.12064174517156799]], [[2.724523041308657, 0.033512668795587786], [-4.507407999465585, 0.08581054167233758]], [[-1.566402634201047, 0.017757328563128283], [-0.2431848034500916, 0.33744696661397455]]], [[[0.8555648235653023, 0.05374259512969103], [6.174385128376868, -0.2433532193091281]], [[0.3113686386946313, -0.06091772883909385], [-0.43298741385644485, -0.016523100243581723]], [[-0.4513752613233279, 0.026668738328794458], [0.9009187837971665, 0.3335069157062165]]], [[[-0.7823983624311025, 0.048122615670109774], [2.4623461277295533, 0.1276432462615773]], [[0.816275608062078, 0.04988298849539773], [1.43099503966404, -0.15549099054990023]], [[-0.7557759704734933, -0.12412725232113785], [-1.6003447123047463, -0.014228499467527909]]]]> : tensor<3x3x2x2xf64>
    %c6 = stablehlo.constant dense<[-2.821702666677694, 4.916836811408309]> : tensor<2xf64>
    %c7 = stablehlo.constant dense<[-3.570386422580007, 0.10852809049222144]> : tensor<2xf64>
    return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7 : tensor<f64>, tensor<2x3x4x2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x3x2x2xf64>, tensor<2xf64>, tensor<2xf64>
  }
}
