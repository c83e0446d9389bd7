#!/usr/bin/env python3
"""Small models as MLIR: model_programs.py MODEL [--mesh MESH] [--recipe RECIPE], or --list.

Models have common structures: grouped heads, latent attention, experts, convolutions, scans, large tables. Recipes are common annotations of arguments: the batch
sharded (data), weights gathered before their use (fsdp), heads and widths sharded (megatron). Each dim of a value has a letter, as in llama_step.py.
"""
import argparse

from llama_step import Step, norm, softmax

MESHES = ('<["data"=2, "model"=4]>', '<["data"=4, "model"=4]>', '<["data"=1, "model"=8]>')


INDICES = "#b"  # the letters of a value with a row number per element of the batch


class Model(Step):
    """A forward pass, or a training step with `train`. Weights are in `weights`; the other arguments are inputs."""

    def __init__(self, sizes):
        super().__init__(sizes)
        self.weights = []

    def type(self, letters):
        return f"tensor<{self.sizes['b']}x1xi32>" if letters == INDICES else super().type(letters)

    def weight(self, name, letters):
        self.weights.append(f"%{name}")
        return self.argument(name, letters)

    def line(self, letters, text, operands):
        """An op of any kind, without a gradient."""
        types = ", ".join(self.type(self.letters[each]) for each in operands)
        return self.add_line(letters, f"{text} : ({types}) -> {self.type(letters)}")

    def train(self, loss, gradient):
        """New weights: each minus its gradient."""
        known = self.gradients(loss, gradient)
        return [self.same("subtract", weight, known[weight]) for weight in self.weights]


def attention(model, x, d="d"):
    weights = [model.weight(name, letters) for name, letters in (("wq", f"{d}kqh"), ("wk", f"{d}kh"), ("wv", f"{d}kh"), ("wo", f"kqh{d}"))]
    queries = model.product(f"bs{d},{d}kqh->bskqh", x, weights[0])
    keys, values = (model.product(f"bs{d},{d}kh->bskh", x, each) for each in weights[1:3])
    shares = softmax(model, model.product("bskqh,btkh->bkqst", queries, keys))
    return model.product(f"bskqh,kqh{d}->bs{d}", model.product("bkqst,btkh->bskqh", shares, values), weights[3])


def feed_forward(model, x):
    inner = model.activate("logistic", model.product("bsd,df->bsf", x, model.weight("w1", "df")))
    return model.product("bsf,fd->bsd", inner, model.weight("w2", "fd"))


ATTENTION = {"b": 32, "s": 128, "t": 128, "d": 512, "k": 8, "q": 1, "h": 64, "f": 2048}


def transformer():
    model = Model(ATTENTION)
    x = model.argument("x", "bsd")
    x = model.add(x, attention(model, norm(model, x, model.weight("n1", "d"))))
    return model, [model.add(x, feed_forward(model, norm(model, x, model.weight("n2", "d"))))]


def grouped_heads():
    model = Model({**ATTENTION, "k": 2, "q": 4})
    x = model.argument("x", "bsd")
    return model, [model.add(x, feed_forward(model, model.add(x, attention(model, x))))]


def transformer_step():
    model = Model({**ATTENTION, "k": 4, "q": 2})
    x, target = model.argument("x", "bsd"), model.argument("target", "bsd")
    y = model.add(x, feed_forward(model, model.add(x, attention(model, x))))
    return model, model.train(y, model.same("subtract", y, target))


def perceptron_step():
    model = Model({"b": 256, "s": 1, "d": 1024, "f": 4096})
    x, target = model.argument("x", "bsd"), model.argument("target", "bsd")
    y = feed_forward(model, x)
    return model, model.train(y, model.same("subtract", y, target))


def latent_attention():
    model = Model({**ATTENTION, "r": 128})
    x = model.argument("x", "bsd")
    queries = model.product("bsd,dkqh->bskqh", x, model.weight("wq", "dkqh"))
    latent = model.product("btd,dr->btr", x, model.weight("wr", "dr"))
    keys, values = (model.product("btr,rkh->btkh", latent, model.weight(name, "rkh")) for name in ("wk", "wv"))
    shares = softmax(model, model.product("bskqh,btkh->bkqst", queries, keys))
    mixed = model.product("bkqst,btkh->bskqh", shares, values)
    return model, [model.add(x, model.product("bskqh,kqhd->bsd", mixed, model.weight("wo", "kqhd")))]


def experts():
    model = Model({"b": 2048, "d": 512, "e": 16, "c": 256, "f": 2048})
    x, dispatch, combine = model.argument("x", "bd"), model.argument("dispatch", "bec"), model.argument("combine", "bec")
    rows = model.product("bec,bd->ecd", dispatch, x)
    inner = model.activate("logistic", model.product("ecd,edf->ecf", rows, model.weight("w1", "edf")))
    return model, [model.product("bec,ecd->bd", combine, model.product("ecf,efd->ecd", inner, model.weight("w2", "efd")))]


def convolution(model, x, weight, out, stride=1, dilation=1):
    """A convolution with windows of 3x3; `dilation` of the image doubles its size."""
    pad = f"[[1, {dilation}], [1, {dilation}]]" if stride == 1 else "[[0, 1], [0, 1]]"
    text = (f"stablehlo.convolution({x}, {weight}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [{stride}, {stride}], pad = {pad}, "
            f"lhs_dilate = [{dilation}, {dilation}]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}")
    return model.line(out, text, [x, weight])


IMAGES = {"b": 8, "y": 64, "x": 64, "Y": 32, "X": 32, "i": 4, "p": 32, "P": 64, "w": 3, "o": 16}


def convolutions():
    model = Model(IMAGES)
    x = model.same("tanh", convolution(model, model.argument("x", "byxi"), model.weight("w1", "wwip"), "byxp"))
    x = model.same("tanh", convolution(model, x, model.weight("w2", "wwpP"), "bYXP", stride=2))
    return model, [model.product("bP,Po->bo", model.plain_total(x, "bP"), model.weight("w3", "Po"))]


def u_net():
    model = Model({**IMAGES, "q": 64})
    x = model.argument("x", "byxi")
    skip = model.same("tanh", convolution(model, x, model.weight("w1", "wwip"), "byxp"))
    down = model.same("tanh", convolution(model, skip, model.weight("w2", "wwpP"), "bYXP", stride=2))
    up = model.same("tanh", convolution(model, down, model.weight("w3", "wwPp"), "byxp", dilation=2))
    both = model.line("byxq", f"stablehlo.concatenate {up}, {skip}, dim = 3", [up, skip])
    return model, [convolution(model, both, model.weight("w4", "wwqi"), "byxi")]


def scan():
    """The state of a linear recurrence, as of selective state spaces: per step it decays, and gets a product of the input."""
    model = Model({"z": 64, "b": 32, "d": 1024, "n": 16, "o": 64, "1": 1})
    x, gate, decay = model.argument("x", "zbd"), model.argument("g", "zbn"), model.weight("decay", "dn")
    start = model.argument("state", "bdn")
    carried = ", ".join(model.type(letters) for letters in ("zbd", "zbn", "dn", "bdn"))
    lines = [
        "  %zero = stablehlo.constant dense<0> : tensor<i32>", "  %one = stablehlo.constant dense<1> : tensor<i32>", "  %steps = stablehlo.constant dense<64> : tensor<i32>",
        f"  %r:5 = stablehlo.while(%i = %zero, %u = {x}, %v = {gate}, %a = {decay}, %h = {start}) : tensor<i32>, {carried}", "  cond {",
        "    %c = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>", "    stablehlo.return %c : tensor<i1>", "  } do {"]
    inner = []
    for name, value, letters in (("p", "%u", "bd"), ("q", "%v", "bn")):
        sizes = ", ".join(str(model.sizes[c]) for c in "1" + letters)
        inner += [f"%{name}0 = stablehlo.dynamic_slice {value}, %i, %zero, %zero, sizes = [{sizes}] : ({model.type('z' + letters)}, tensor<i32>, tensor<i32>, tensor<i32>) -> {model.type('1' + letters)}",
                  f"%{name} = stablehlo.reshape %{name}0 : ({model.type('1' + letters)}) -> {model.type(letters)}"]
    state = model.type("bdn")
    inner += [f"%k = stablehlo.broadcast_in_dim %a, dims = [1, 2] : ({model.type('dn')}) -> {state}",
              f"%pb = stablehlo.broadcast_in_dim %p, dims = [0, 1] : ({model.type('bd')}) -> {state}",
              f"%qb = stablehlo.broadcast_in_dim %q, dims = [0, 2] : ({model.type('bn')}) -> {state}",
              f"%kept = stablehlo.multiply %k, %h : {state}", f"%added = stablehlo.multiply %pb, %qb : {state}", f"%next = stablehlo.add %kept, %added : {state}",
              "%j = stablehlo.add %i, %one : tensor<i32>", f"stablehlo.return %j, %u, %v, %a, %next : tensor<i32>, {carried}"]
    model.lines += lines + ["    " + each for each in inner] + ["  }"]
    model.letters["%r#4"] = "bdn"
    return model, [model.product("bdn,ndo->bo", "%r#4", model.weight("w", "ndo"))]


def tables():
    """Rows of a table of 50,257 words, and a perceptron."""
    model = Model({"v": 50257, "b": 4096, "d": 256, "f": 512, "o": 64})
    table = model.weight("table", "vd")
    model.arguments.append("%ids")
    model.letters["%ids"] = INDICES
    rows = model.add_line("bd", f'"stablehlo.gather"({table}, %ids) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
                          f"start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {model.sizes['d']}>}}> : "
                          f"({model.type('vd')}, {model.type(INDICES)}) -> {model.type('bd')}")
    inner = model.activate("tanh", model.product("bd,df->bf", rows, model.weight("w1", "df")))
    return model, [model.product("bf,fo->bo", inner, model.weight("w2", "fo"))]


def words():
    """The scores of 50,257 words, normalized."""
    model = Model({"v": 50257, "b": 512, "d": 512})
    scores = model.product("bd,dv->bv", model.argument("x", "bd"), model.weight("w", "dv"))
    return model, [softmax(model, scores)]


def image_patches():
    model = Model({**ATTENTION, "s": 64, "t": 64, "c": 192})
    x = model.product("bsc,cd->bsd", model.argument("x", "bsc"), model.weight("wp", "cd"))
    return model, [model.add(x, feed_forward(model, model.add(x, attention(model, x))))]


MODELS = {"transformer": transformer, "grouped heads": grouped_heads, "transformer step": transformer_step, "perceptron step": perceptron_step,
          "latent attention": latent_attention, "experts": experts, "convolutions": convolutions, "u-net": u_net, "scan": scan, "tables": tables, "words": words,
          "image patches": image_patches}
# Per recipe: axes of the batch; the axes of letters of weights, of which the first letter that a weight has is sharded.
RECIPES = {"none": ((), {}), "data": (("data", "model"), {}), "fsdp": (("data", "model"), dict.fromkeys("dfervpPcn", ("data", "model"))),
           "megatron": (("data",), dict.fromkeys("ekfvpPno", ("model",)))}


def annotated(name, recipe, mesh):
    """The text of a model with the annotations of a recipe. Axes that do not divide a dim are left out."""
    sizes = {part.split("=")[0].strip(' "<[]>'): int(part.split("=")[1].strip(" ]>")) for part in mesh.split(",")}
    model, results = MODELS[name]()
    batch, of_weights = RECIPES[recipe]
    shardings = {}
    for argument in model.arguments:
        letters = model.letters[argument].replace(INDICES, "b1")
        is_weight = argument in model.weights
        wanted = next((each for each in of_weights if each in letters), "") if is_weight else "b"
        axes = of_weights.get(wanted, ()) if is_weight else batch
        used, count = [], 1
        for axis in axes if wanted and wanted in letters else ():
            if model.sizes[wanted] % (count * sizes[axis]) == 0:
                used.append(f'"{axis}"')
                count *= sizes[axis]
        dims = ["{" + ", ".join(used if letter == wanted else []) + "}" for letter in letters]
        if recipe != "none":
            shardings[argument] = "[" + ", ".join(dims) + "]"
    text = model.program(mesh, results, {})
    for argument, sharding in shardings.items():
        head = f"{argument}: {model.type(model.letters[argument])}"
        text = text.replace(head, f"{head} {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}", 1)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", choices=list(MODELS))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--mesh", default=MESHES[0])
    parser.add_argument("--recipe", default="none", choices=list(RECIPES))
    options = parser.parse_args()
    print("\n".join(MODELS) if options.list or not options.model else annotated(options.model, options.recipe, options.mesh), end="\n" if options.list else "")


if __name__ == "__main__":
    main()
