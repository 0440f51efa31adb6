print("tooth 0.1.0")
