// Takedowns of a network: said on one peer, carried out on all.
//
// Invariant: a takedown is never undone. What was taken down here before there was a network is told to it; what others took
// down is carried out here as soon as it is heard of, after a restart too.

import { PolyhistorError } from '../../errors.ts'
import type { Notice } from '../../replica/notices/notice.ts'
import type { Notices } from '../../replica/notices/notices.ts'
import type { Takedown, TakedownTarget } from '../../store/takedowns.ts'
import type { Log } from '../../world/log.ts'

interface Needs {
  readonly notices: Notices
  readonly store: {
    takedown(target: TakedownTarget, reason: string): Promise<number>
    takedowns(): Iterable<Takedown>
  }
  readonly log: Log
}

const kind = 'takedown'

export class NetworkTakedowns {
  readonly #needs: Needs
  readonly #stop: () => void
  /** Names of those that are carried out here. */
  readonly #done = new Set<string>()
  #last: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#stop = needs.notices.onChange((notice) => {
      if (notice.kind === kind) this.#carryOut(notice)
    })
  }

  async open(): Promise<void> {
    const { store, notices } = this.#needs
    const own = [...store.takedowns()]
    for (const { target } of own) this.#done.add(nameOf(target))
    for (const { target, reason } of own) await this.#tell(target, reason)
    for (const notice of notices.all(kind)) this.#carryOut(notice)
  }

  /** Resolves when it is done here and sure to be heard of. Gives how many captures it hides here. */
  async takedown(target: TakedownTarget, reason: string): Promise<number> {
    const count = await this.#needs.store.takedown(target, reason)
    this.#done.add(nameOf(target))
    await this.#tell(target, reason)
    return count
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#last
  }

  async #tell(target: TakedownTarget, reason: string): Promise<void> {
    const { notices } = this.#needs
    if (notices.get(kind, nameOf(target)) !== undefined) return
    await notices.put(kind, nameOf(target), Buffer.from(JSON.stringify({ target, reason })))
  }

  /** One after the other: each goes through the captures that it hides. */
  #carryOut({ name, value }: Notice): void {
    const { store, log } = this.#needs
    if (this.#done.has(name)) return
    this.#done.add(name)
    this.#last = this.#last.then(async () => {
      try {
        const { target, reason } = JSON.parse(Buffer.from(value).toString()) as Takedown
        if (target !== undefined) await store.takedown(target, String(reason ?? ''))
      } catch (error) {
        if (!(error instanceof PolyhistorError || error instanceof SyntaxError)) throw error
        log.error({ err: error, takedown: name }, 'A takedown of the network could not be carried out')
      }
    })
  }
}

function nameOf(target: TakedownTarget): string {
  return JSON.stringify(Object.entries(target).sort(([one], [other]) => (one < other ? -1 : 1)))
}
