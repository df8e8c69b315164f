// Recent links: hrefs that a job has taken on lately. Most links of a page lead to pages that are known, and those are told
// here by their text alone, before anything is parsed or hashed.
//
// Invariant: whatever is here is known to the job. Bounded: two generations of hrefsMax each, the older forgotten whole.

const hrefsMax = 25_000

export class RecentLinks {
  #young = new Map<number, Set<string>>()
  #old = new Map<number, Set<string>>()
  #count = 0

  has(href: string, job: number): boolean {
    return this.#young.get(job)?.has(href) === true || this.#old.get(job)?.has(href) === true
  }

  /** `href` is a string of its own: a part of a longer one would keep all of that in memory. */
  add(href: string, job: number): void {
    let hrefs = this.#young.get(job)
    if (hrefs === undefined) this.#young.set(job, (hrefs = new Set()))
    hrefs.add(href)
    if (++this.#count < hrefsMax) return
    this.#old = this.#young
    this.#young = new Map()
    this.#count = 0
  }

  forget(): void {
    this.#young.clear()
    this.#old.clear()
    this.#count = 0
  }
}
