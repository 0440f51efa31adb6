import Vocabulary

// What a run serves is saved, in the form in which it crosses to a keeper.

extension AdvertisingPlan: Storable {}
extension ServerAnswer: Storable {}
