// A convolution as a product of spectra.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @fft_convolution attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<24xf64>, tensor<9xf64>)
    %want = call @expected() : () -> tensor<32xf64>
    %v1 = stablehlo.constant dense<0.0> : tensor<f64>
    %v2 = stablehlo.pad %in#0, %v1, low = [0], high = [8], interior = [0] : (tensor<24xf64>, tensor<f64>) -> tensor<32xf64>
    %v3 = stablehlo.fft %v2, type = RFFT, length = [32] : (tensor<32xf64>) -> tensor<17xcomplex<f64>>
    %v4 = stablehlo.pad %in#1, %v1, low = [0], high = [23], interior = [0] : (tensor<9xf64>, tensor<f64>) -> tensor<32xf64>
    %v5 = stablehlo.fft %v4, type = RFFT, length = [32] : (tensor<32xf64>) -> tensor<17xcomplex<f64>>
    %v6 = stablehlo.multiply %v3, %v5 : tensor<17xcomplex<f64>>
    %v7 = stablehlo.fft %v6, type = IRFFT, length = [32] : (tensor<17xcomplex<f64>>) -> tensor<32xf64>
    check.expect_almost_eq %v7, %want, tolerance = 1.0e-12 : tensor<32xf64>
    return
  }
  func.func private @inputs() -> (tensor<24xf64>, tensor<9xf64>) {
    %c0 = stablehlo.constant dense<[1.2544482530485257, 0.7769020178860887, 0.9648811301409165, -1.08217838898024, 0.8670173581146392, -0.16816075913655737, -0.1896609791259655, 1.1205664556072035, -0.4367790637355302, -1.2796453624658768, -0.46949977426329975, -1.1968271623643079, -1.8398571423973407, -0.14555696985382466, 0.398278973208401, -2.1620612747589183, 0.014477306355424725, 0.25519811571103884, 0.173191040730858, -1.2700935204100632, -0.3109613280418142, -0.1862156647171206, 0.43297608368498736, -1.2873513250071738]> : tensor<24xf64>
    %c1 = stablehlo.constant dense<[0.38341276871467855, 0.9918800333029093, -2.287645387459913, 0.22393912767437332, -1.5266134112032352, -0.17046692823269938, -0.6801483671467892, 1.2736350667369072, 0.057108684071811494]> : tensor<9xf64>
    return %c0, %c1 : tensor<24xf64>, tensor<9xf64>
  }
  func.func private @expected() -> tensor<32xf64> {
    %c0 = stablehlo.constant dense<[0.48097147791062694, 1.542136328708274, -1.7291914149317773, -0.9542309550896644, -4.689350244107443, 2.0873462823240887, -4.923931590049342, 3.377258209984577, 0.6059626298664402, -1.4115611583367857, -1.7938254591129768, 1.3834919588095989, -0.6649377190346314, 1.7667172018883497, 6.597572343056595, 1.7722220177035681, -1.4053171230033445, 5.826239534572373, -1.0807225852734346, 0.024336786595275217, -1.932946169604793, 4.141889215603002, -2.640426616488267, 1.923044600487847, -1.4098076691202948, 4.478259806017046, -2.3137769101501533, 1.5495493536048193, -0.3299665432028256, 1.4164088933219459, -1.6148890963655413, -0.0735189401092626]> : tensor<32xf64>
    return %c0 : tensor<32xf64>
  }
}
