// Timeouts and intervals of sites that another member than their owner crawls, each with its trade-off.

export interface PlacementTerms {
  /** How often an owner asks those who crawl its sites: more often moves sites sooner, for a small message per peer. */
  askMs: number
  /** Who has not been asked for so long stops: the owner has gone, and the next one asks, or crawls itself. Longer bears longer
   * silences of owners; as long a site may wait when its owner wants it back and cannot say so. */
  heldMs: number
  /** An owner takes back what it has heard nothing of for so long. The lease has to expire as well. */
  silentMsMax: number
  /** As long as a member may take to get the lease and the state of a site: the last requests of whoever had it must end. */
  comingMsMax: number
  /** A member that could not is asked again after this; later up to the longest. */
  againMs: number
  againMsMax: number
  /** How long the ring's word counts that the asker owns the site. */
  checkedMs: number
  answerMs: number
}

export const placementTermsDefault: PlacementTerms = {
  askMs: 4_000,
  heldMs: 30_000,
  silentMsMax: 15_000,
  comingMsMax: 120_000,
  againMs: 30_000,
  againMsMax: 900_000,
  checkedMs: 30_000,
  answerMs: 5_000,
}
