// Report: tells the archive's frame around a page what is in it: address, time, title, height, and how far apart in time its
// parts were captured. Each answer of the server says its time in a header that scripts may read (Server-Timing).
//
// Nothing but the page that the reader looks at reports, and only to the archive's own origin.

const pauseMs = 200

export class Report {
  #facts
  #address
  #times = []
  #isWaiting = false
  #last = ''
  #send
  #later

  /** `address` gives the archived one. */
  constructor(facts, address) {
    this.#facts = facts
    this.#address = address
    const { parent } = window
    this.#send = (message) => parent.postMessage(message, facts.archive)
    this.#later = window.setTimeout.bind(window)
  }

  start() {
    this.#watchParts()
    const tell = () => this.tell()
    document.addEventListener('DOMContentLoaded', tell)
    for (const event of ['load', 'hashchange', 'resize']) addEventListener(event, tell)
    new MutationObserver(tell).observe(document, { childList: true, subtree: true, characterData: true })
  }

  /** Soon, and once for all that happens until then. */
  tell() {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#later(() => {
      this.#isWaiting = false
      const message = this.#message()
      const text = JSON.stringify(message)
      if (text === this.#last) return
      this.#last = text
      this.#send(message)
    }, pauseMs)
  }

  #watchParts() {
    try {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) this.#addTime(entry)
        this.tell()
      }).observe({ type: 'resource', buffered: true })
    } catch {
      // A browser without it: the frame then knows of no parts.
    }
  }

  #addTime({ serverTiming = [] }) {
    const time = serverTiming.find(({ name }) => name === 'capture')?.description
    if (!/^\d{14}$/.test(time ?? '')) return
    const sorted = [...this.#times, time].sort()
    this.#times = [sorted[0], sorted.at(-1)]
  }

  #message() {
    const [earliest, latest] = this.#times
    return {
      polyhistor: 'page',
      url: this.#address(),
      timestamp: this.#facts.capturedAt,
      title: String(document.title ?? '').slice(0, 1_000),
      height: document.documentElement?.scrollHeight ?? 0,
      earliest,
      latest,
    }
  }
}
