package enum Method { static func named(_ s: String) -> Int? { nil } }
