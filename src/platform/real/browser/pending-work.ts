// Whether a page has still something to do that nobody sees from outside: timers that are due soon, frames of an animation, changes of
// its document a moment ago, media that play, workers.
//
// A script that runs in each document before its own notes when timers are due and when the document changed; it changes neither what
// the page's calls do nor what they give back. The page can lie to it, and then lacks what it would have asked for: as with any of its
// answers nothing else follows from it. Where it cannot be told, the page counts as busy, and is waited for as long as any.

import { randomBytes } from 'node:crypto'
import type { Frame, Page } from 'playwright-core'

/** Asked one by one; pages with more count as busy. */
const framesMax = 10

export interface QuietFor {
  /** The document has not changed for so long. */
  readonly unchangedMs: number
  /** No timer is due within so long. */
  readonly aheadMs: number
}

/** Notes in every document of one page what it waits for. */
export class PendingWork {
  readonly #page: Page
  /** Not to be guessed by the page. */
  readonly #name = `_${randomBytes(8).toString('hex')}`
  readonly #requests = new Set<unknown>()

  constructor(page: Page) {
    this.#page = page
  }

  async begin(): Promise<void> {
    const page = this.#page
    page.on('request', (request) => void this.#requests.add(request))
    page.on('requestfinished', (request) => void this.#requests.delete(request))
    page.on('requestfailed', (request) => void this.#requests.delete(request))
    await page.addInitScript(`(${noting})(${JSON.stringify(this.#name)})`)
  }

  /** A script of ours, of which what it waits for does not count: the body of a function. */
  aside(script: string): string {
    return `((setTimeout) => {${script}})(self[${JSON.stringify(this.#name)}]?.wait ?? setTimeout)`
  }

  /** False also when it cannot be told. Does not reject; takes as long as a script of the page holds it up. */
  async isQuiet(quiet: QuietFor): Promise<boolean> {
    const frames = this.#page.frames()
    if (frames.length > framesMax || this.#page.workers().length > 0) return false
    const told = await Promise.all(frames.map((frame) => this.#isFrameQuiet(frame, quiet)))
    // Whatever was asked for before the answer came has been told before it.
    return told.every(Boolean) && this.#requests.size === 0
  }

  async #isFrameQuiet(frame: Frame, { unchangedMs, aheadMs }: QuietFor): Promise<boolean> {
    const asked = `self[${JSON.stringify(this.#name)}]?.isQuiet(${unchangedMs}, ${aheadMs})`
    return (await frame.evaluate(asked).catch(() => false)) === true
  }
}

/** As text, for it runs in the page. Handlers are passed on as they are: a timer counts until it was due. */
const noting = `(name) => {
  const { performance, document, Map, Proxy, Promise, Reflect, Number, MutationObserver } = self
  const now = performance.now.bind(performance)
  const wait = self.setTimeout
  const frame = self.requestAnimationFrame
  const due = new Map()
  const repeated = new Map()
  let busyAt = now()
  let hasWorkers = false
  const watched = (key, told) => {
    if (typeof self[key] !== 'function') return
    self[key] = new Proxy(self[key], {
      apply: (target, self, given) => {
        const result = Reflect.apply(target, self, given)
        told(given, result)
        return result
      },
      construct: (target, given, made) => {
        told(given)
        return Reflect.construct(target, given, made)
      },
    })
  }
  const tidy = () => { for (const [id, atMs] of due) if (atMs < now()) due.delete(id) }
  watched('setTimeout', ([, ms], id) => {
    due.set(id, now() + (Number(ms) || 0) + 20)
    if (due.size > 1000) tidy()
  })
  watched('setInterval', ([, ms], id) => { if (repeated.size < 1000) repeated.set(id, Number(ms) || 0) })
  const cleared = ([id]) => { due.delete(id); repeated.delete(id) }
  watched('clearTimeout', cleared)
  watched('clearInterval', cleared)
  watched('requestAnimationFrame', () => { busyAt = now() })
  watched('requestIdleCallback', () => { busyAt = now() })
  watched('Worker', () => { hasWorkers = true })
  watched('SharedWorker', () => { hasWorkers = true })
  new MutationObserver(() => { busyAt = now() })
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  const isBusy = (aheadMs) => {
    const atMs = now()
    for (const [, dueMs] of due) if (dueMs >= atMs && dueMs - 20 <= atMs + aheadMs) return true
    for (const [, everyMs] of repeated) if (everyMs <= aheadMs) return true
    return hasWorkers || document.readyState !== 'complete'
      || document.getAnimations().some(({ playState }) => playState === 'running')
      || [...document.querySelectorAll('audio,video')].some(({ paused, ended }) => !paused && !ended)
  }
  const isQuiet = async (unchangedMs, aheadMs) => {
    // What comes into view is noticed in the next frame, and asked for then.
    const frames = new Promise((resolve) => frame(() => frame(() => wait(resolve, 0))))
    await Promise.race([frames, new Promise((resolve) => wait(resolve, 250))])
    tidy()
    return now() - busyAt >= unchangedMs && !isBusy(aheadMs)
  }
  Reflect.defineProperty(self, name, { value: { isQuiet, wait } })
}`
