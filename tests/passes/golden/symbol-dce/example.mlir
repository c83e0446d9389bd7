// shardy opt --symbol-dce
// CASE: private functions that nothing reaches go
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main() { call @used() : () -> () return }
func.func private @used() { return }
func.func private @unused() { call @used_by_unused() : () -> () return }
func.func private @used_by_unused() { return }
func.func @public() { return }
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() {
    call @used() : () -> ()
    return
  }
  func.func private @used() {
    return
  }
  func.func @public() {
    return
  }
}
