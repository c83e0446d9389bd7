// CASE: callers stand before callees, behind the meshes
// PASS: sdy-pre-order-funcs
// TWICE
func.func private @b() { return }
sdy.mesh @mesh = <["x"=2]>
func.func private @a() { call @b() : () -> () return }
func.func @main() { call @b() : () -> () call @a() : () -> () return }
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main() { call @b() : () -> () call @a() : () -> () return }
func.func private @a() { call @b() : () -> () return }
func.func private @b() { return }
// -----
// CASE: deviation 9: functions that nobody calls stand in reverse order
// PASS: sdy-pre-order-funcs
func.func @f() { return }
func.func @g() { return }
func.func @h() { return }
// AFTER
func.func @h() { return }
func.func @g() { return }
func.func @f() { return }
// -----
// CASE: deviation 21: recursion is an error
// PASS: sdy-pre-order-funcs
func.func @f() { call @f() : () -> () return }
// ERROR: recursive call to function f is not supported
