// Watches how much memory pages take, and ends the processes of those that take too much: the page crashes, alone.
//
// The limit of V8 counts what scripts allocate; pictures, canvases and documents lie outside it. Only Linux tells what processes take:
// elsewhere that limit is the only one.

import { readFile } from 'node:fs/promises'
import type { Browser, CDPSession } from 'playwright-core'

const lookMs = 1_000
/** Of memory as Linux counts it in /proc. */
const pageBytes = 4_096

export class MemoryWatch {
  readonly #browser: Browser
  readonly #bytesMax: number
  #session: CDPSession | undefined
  #timer: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(browser: Browser, bytesMax: number) {
    this.#browser = browser
    this.#bytesMax = bytesMax
  }

  start(): void {
    if (process.platform === 'linux') this.#next()
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  #next(): void {
    if (this.#isEnded) return
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#next()), lookMs)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    try {
      this.#session ??= await this.#browser.newBrowserCDPSession()
      const { processInfo } = await this.#session.send('SystemInfo.getProcessInfo')
      for (const { type, id } of processInfo) {
        if (type !== 'renderer' || (await ownBytes(id)) <= this.#bytesMax || this.#isEnded) continue
        process.kill(id, 'SIGKILL')
      }
    } catch {
      // The browser, or this process of it, has ended meanwhile.
    }
  }
}

/** Not shared with others: files that are mapped, and what all pages of a browser have in common. */
async function ownBytes(pid: number): Promise<number> {
  const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ').map(Number)
  return (resident - shared) * pageBytes
}
