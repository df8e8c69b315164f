// Takedowns of a network: requested on one peer, carried out on all.
//
// Invariant: what any peer has taken down and not released is taken down here as soon as the announcement arrives, after a
// restart, too. Takedowns from before the home joined the network are announced. For now every member may take down everything.

import { PolyhistorError } from '../../errors.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Takedown, TakedownTarget } from '../../store/takedowns/takedowns.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import {
  readTakedown,
  type TakedownStatement,
  takedownKind,
  takedownName,
  writeTakedown,
} from './takedown-announcement.ts'

interface Needs {
  readonly announcements: Announcements
  readonly store: {
    takedown(target: TakedownTarget, reason: string, options?: { by?: PeerId }): Promise<number>
    /** Not hidden any more. Without it nothing is ever released here. */
    release?(target: TakedownTarget): Promise<unknown>
    takedowns(): Iterable<Takedown>
  }
  readonly log: Log
}

const { kind } = takedownKind
/** So many others have a takedown before it counts as said: with the copies of a capture, as many disks may die at once. */
export const takedownSpread = { heardMin: 2, withinMs: 20_000 }

export class NetworkTakedowns {
  readonly #needs: Needs
  readonly #stop: () => void
  /** Names of those that are carried out here. */
  readonly #done = new Set<string>()
  #isOpen = false
  #last: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#stop = needs.announcements.follow(kind, (announcement) => {
      if (this.#isOpen) this.#carryOut(announcement)
    })
  }

  async open(): Promise<void> {
    const { store, announcements } = this.#needs
    const own = [...store.takedowns()]
    for (const { target } of own) this.#done.add(takedownName(target))
    for (const { target, reason } of own) {
      if (announcements.get(kind, takedownName(target)) === undefined)
        await this.#say({ target, reason, state: 'taken' })
    }
    this.#isOpen = true
    for (const announcement of announcements.all(kind)) this.#carryOut(announcement)
  }

  /** Resolves when it is done here and others have heard of it, if any are there. Gives how many captures it hides here. */
  async takedown(target: TakedownTarget, reason: string): Promise<number> {
    const count = await this.#needs.store.takedown(target, reason)
    this.#done.add(takedownName(target))
    const statement: TakedownStatement = { target, reason, state: 'taken' }
    await this.#needs.announcements.putWithOthers(
      kind,
      takedownName(target),
      writeTakedown(statement),
      takedownSpread,
    )
    return count
  }

  /** Releases our own takedown; where others have taken it down, too, it stays hidden. */
  async release(target: TakedownTarget, reason: string): Promise<void> {
    await this.#say({ target, reason, state: 'released' })
    await this.#last
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#last
  }

  async #say(statement: TakedownStatement): Promise<void> {
    await this.#needs.announcements.put(kind, takedownName(statement.target), writeTakedown(statement))
  }

  /** By the announcements of all authors. */
  #isTaken(name: string): boolean {
    const words = [...this.#needs.announcements.named(kind, name)].map(({ peer, value }) => ({
      peer,
      statement: readTakedown(value) as TakedownStatement,
    }))
    const ownWords = new Set(
      words.filter(({ statement }) => statement.onBehalfOf === undefined).map(({ peer }) => peer),
    )
    return words.some(({ statement: { state, onBehalfOf } }) => {
      return state === 'taken' && (onBehalfOf === undefined || !ownWords.has(onBehalfOf))
    })
  }

  /** One after the other: each goes through the captures that it hides. */
  #carryOut(announcement: Announcement): void {
    const { announcements, log } = this.#needs
    this.#last = this.#last.then(async () => {
      try {
        await this.#settle(announcement)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) return announcements.setAside(announcement, error)
        log.error(
          { err: error, takedown: announcement.name },
          'A takedown of the network could not be carried out',
        )
      }
    })
  }

  async #settle({ name, value, peer }: Announcement): Promise<void> {
    const { store } = this.#needs
    const { target, reason, onBehalfOf } = readTakedown(value) as TakedownStatement
    const isTaken = this.#isTaken(name)
    if (isTaken === this.#done.has(name)) return
    if (isTaken) {
      this.#done.add(name)
      await store.takedown(target, reason, { by: onBehalfOf ?? peer })
    } else if (store.release !== undefined) {
      await store.release(target)
      this.#done.delete(name)
    }
  }
}
