// Timeouts and intervals of frontier replication, each with its trade-off.

export interface SiteTerms {
  /** A request may begin only while the lease lasts for so much longer: about as long as most requests take, so that they end
   * before another peer can crawl the site. */
  requestMs: number
  /** Changes wait so long for more before they are shipped: longer is cheaper, but when the lease holder dies, the pages of that
   * time are fetched again. */
  shipMs: number
  /** Minimum time between messages to one member when somebody waits for the changes. Without it, each of many waiters would cost
   * every member a message and a flush. */
  hurriedMs: number
  /** How long a member's answer is waited for. */
  answerMs: number
  /** How long `waitUntilReady` and `waitUntilSafe` wait before they give up for now. */
  patienceMs: number
  /** How often it is checked whether our sites are still ours. */
  lookMs: number
  /** How often a peer asks the owners of its replicas whether they are still needed. */
  checkMs: number
}

export const siteTermsDefault: SiteTerms = {
  requestMs: 5_000,
  shipMs: 1_000,
  hurriedMs: 500,
  answerMs: 10_000,
  patienceMs: 10_000,
  lookMs: 500,
  checkMs: 300_000,
}
