/** What a job asked for and did not get, for one reason. */
export interface JobMissing {
  /** A name that stays: `connect-refused`, `dns-not-found`, `robots`, … */
  readonly code: string
  /** The same in words: 'the server refused the connection'. */
  readonly words: string
  readonly count: number
  /** Of these, starts of the job. */
  readonly seeds: number
  /** The first of them, and why exactly. */
  readonly url: string
  readonly reason: string
}
