// Terms of sites: how long things may take. Each says what it trades.

export interface SiteTerms {
  /** A request may begin only while the lease lasts for so much longer: about as long as most requests take, so that
   * they end before another peer may ask. */
  requestMs: number
  /** Changes wait so long for more before they are sent to members: later is cheaper, and when the lease holder dies, the pages
   * of that time are fetched again. */
  shipMs: number
  /** Changes that somebody waits for go at once, but so long after what went to the same member before: of many who wait at the
   * same time each would cost every member a message, and a flush of its disk. */
  hurriedMs: number
  /** So long a member's answer is waited for. */
  answerMs: number
  /** So long `ready` and `safe` wait before they say: later. */
  patienceMs: number
  /** Whether sites are whose they are here is looked at this often. */
  lookMs: number
  /** Who has copies of a site asks its owner this often whether they are wanted. */
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
