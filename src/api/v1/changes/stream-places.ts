// How many may follow a stream at once: strangers cannot take the owner's places, nor one of them those of all others.

import { ApiError } from '../../api-error.ts'
import type { RouteRequest } from '../../route-request.ts'

interface StreamLimits {
  readonly owners: number
  readonly strangers: number
  readonly perAddress: number
}

export class StreamPlaces {
  readonly #limits: StreamLimits
  readonly #byAddress = new Map<string, number>()
  #owners = 0
  #strangers = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Gives what frees the place again. Throws where there is none. */
  take(request: Pick<RouteRequest, 'isOwner' | 'remoteAddress'>): () => void {
    return request.isOwner ? this.#takeOwners() : this.#takeStrangers(request.remoteAddress)
  }

  #takeOwners(): () => void {
    if (this.#owners >= this.#limits.owners) throw tooMany(this.#limits.owners)
    this.#owners++
    return once(() => this.#owners--)
  }

  #takeStrangers(address: string): () => void {
    const count = this.#byAddress.get(address) ?? 0
    // A proxy on this machine speaks for many.
    const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(address)
    if (!isLoopback && count >= this.#limits.perAddress) throw tooMany(this.#limits.perAddress)
    if (this.#strangers >= this.#limits.strangers) throw tooMany(this.#limits.strangers)
    this.#byAddress.set(address, count + 1)
    this.#strangers++
    return once(() => {
      const left = this.#byAddress.get(address)! - 1
      if (left === 0) this.#byAddress.delete(address)
      else this.#byAddress.set(address, left)
      this.#strangers--
    })
  }
}

function once(task: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) task()
    isDone = true
  }
}

function tooMany(count: number): ApiError {
  return new ApiError('too-many-streams', `${count} are under way already. Try again later.`)
}
