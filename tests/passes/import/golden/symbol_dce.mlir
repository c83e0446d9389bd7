// CASE: private functions that nothing reaches go
// PASS: symbol-dce
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main() { call @used() : () -> () return }
func.func private @used() { return }
func.func private @unused() { call @used_by_unused() : () -> () return }
func.func private @used_by_unused() { return }
func.func @public() { return }
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main() { call @used() : () -> () return }
func.func private @used() { return }
func.func @public() { return }
