// Leavers: who has left the network for good, by its own word. A notice each, so that nobody waits for it, and so that it
// counts again should it ever come back.

import type { Notice } from '../../replica/notices/notice.ts'
import type { Notices } from '../../replica/notices/notices.ts'
import type { RingPlaces } from './ring-places.ts'

interface Needs {
  readonly notices: Notices
  readonly places: Pick<RingPlaces, 'self' | 'left'>
}

const kind = 'left'
const gone = Buffer.from('gone')
const back = Buffer.from('back')

export class Leavers {
  readonly #needs: Needs
  readonly #unlisten: () => void

  constructor(needs: Needs) {
    this.#needs = needs
    for (const notice of needs.notices.all(kind)) this.#learn(notice)
    this.#unlisten = needs.notices.onChange((notice) => this.#learn(notice))
  }

  /** We are here, whatever we said before. */
  async begin(): Promise<void> {
    const { notices, places } = this.#needs
    if (notices.get(kind, places.self) !== undefined) await notices.put(kind, places.self, back)
  }

  async leave(): Promise<void> {
    await this.#needs.notices.put(kind, this.#needs.places.self, gone)
  }

  close(): void {
    this.#unlisten()
  }

  #learn({ kind: heard, name, value }: Notice): void {
    const { places } = this.#needs
    if (heard !== kind || name === places.self) return
    if (Buffer.compare(value, gone) === 0) places.left(name)
  }
}
