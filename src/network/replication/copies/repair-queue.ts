// Repair queue: copies to be made, those of ranges with the fewest copies first; of equal ones, first in, first out.
//
// Bounded by what is put in: a range's jobs are taken out when it is planned anew.

export class RepairQueue<Job> {
  /** By the number of copies that can be read. */
  readonly #jobs: Job[][] = []

  get size(): number {
    return this.#jobs.reduce((sum, jobs) => sum + jobs.length, 0)
  }

  put(job: Job, reachable: number): void {
    while (this.#jobs.length <= reachable) this.#jobs.push([])
    this.#jobs[reachable]!.push(job)
  }

  /** Takes out the most urgent that can be begun. */
  take(canBegin: (job: Job) => boolean): Job | undefined {
    for (const jobs of this.#jobs) {
      const index = jobs.findIndex(canBegin)
      if (index >= 0) return jobs.splice(index, 1)[0]
    }
    return undefined
  }

  /** Takes out those that are no longer wanted. */
  remove(isUnwanted: (job: Job) => boolean): void {
    for (const [reachable, jobs] of this.#jobs.entries()) {
      this.#jobs[reachable] = jobs.filter((job) => !isUnwanted(job))
    }
  }
}
