import Vocabulary

// What a run serves is saved in the form in which it is sent to a keeper.

extension AdvertisingPlan: Durable {}
extension ServerAnswer: Durable {}
