import Vocabulary

// What a run serves is saved, in the form in which it crosses to a keeper.

extension AdvertisingPlan: Durable {}
extension ServerAnswer: Durable {}
