// shardy opt --sdy-pre-order-funcs
// CASE: callers precede callees, after the meshes
// TWICE
func.func private @b() { return }
sdy.mesh @mesh = <["x"=2]>
func.func private @a() { call @b() : () -> () return }
func.func @main() { call @b() : () -> () call @a() : () -> () return }
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() {
    call @b() : () -> ()
    call @a() : () -> ()
    return
  }
  func.func private @a() {
    call @b() : () -> ()
    return
  }
  func.func private @b() {
    return
  }
}
