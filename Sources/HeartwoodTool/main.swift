print("heartwood")
