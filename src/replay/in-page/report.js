// Report: tells the archive's frame around a page what is in it: address, time, title, height, and how far apart in time its
// parts were captured, and which of them the archive lacks. Each answer of the server says its time, or that it is missing, in a
// header that scripts may read (Server-Timing).
//
// Only the page that the reader looks at says where it is. Frames within it tell of their parts alone. Both tell the
// archive's own origin and nobody else.

import { missingUrlOf } from './missing-parts.js'

const pauseMs = 200
/** More are not listed by the bar either. */
const missingMax = 200
const sheetsMax = 50
/** What style sheets ask for comes some time after them. */
const sheetsPausesMs = [500, 3_000]

export class Report {
  #facts
  #address
  #times = []
  #missing = new Set()
  #sheets = new Set()
  #isAsking = false
  #fetch
  #isWaiting = false
  #last = ''
  #send
  #later
  #isWhole = true

  /** `address` gives the archived one. */
  constructor(facts, address) {
    this.#facts = facts
    this.#address = address
    const { top } = window
    this.#send = (message) => top.postMessage(message, facts.archive)
    this.#later = window.setTimeout.bind(window)
    this.#fetch = window.fetch.bind(window)
  }

  start() {
    this.#watchParts()
    const tell = () => this.tell()
    document.addEventListener('DOMContentLoaded', tell)
    for (const event of ['load', 'hashchange', 'resize']) addEventListener(event, tell)
    new MutationObserver(tell).observe(document, { childList: true, subtree: true, characterData: true })
  }

  /** Of a frame within the page: its parts, and nothing else. */
  startParts() {
    this.#isWhole = false
    this.#watchParts()
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

  /** By word of workers, and of the server for style sheets. */
  addMissing(urls) {
    for (const url of urls) if (this.#missing.size < missingMax) this.#missing.add(url)
    this.tell()
  }

  #watchParts() {
    try {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) this.#addPart(entry)
        this.tell()
      }).observe({ type: 'resource', buffered: true })
    } catch {
      // A browser without it: the frame then knows of no parts.
    }
  }

  #addPart({ name: address, serverTiming = [] }) {
    this.#addSheet(address)
    const missing = missingUrlOf({ serverTiming })
    if (missing !== undefined && this.#missing.size < missingMax) this.#missing.add(missing)
    const time = serverTiming.find(({ name }) => name === 'capture')?.description
    if (!/^\d{14}$/.test(time ?? '')) return
    const sorted = [...this.#times, time].sort()
    this.#times = [sorted[0], sorted.at(-1)]
  }

  /** Browsers tell pages of no origin nothing of what style sheets ask for; the server knows. */
  #addSheet(address) {
    const { replay } = this.#facts
    if (!address.startsWith(`${replay}/web/`) || !/^\/web\/\d*cs_\//.test(address.slice(replay.length)))
      return
    if (this.#sheets.has(address) || this.#sheets.size === sheetsMax) return
    this.#sheets.add(address)
    // Once for all sheets that come together.
    if (this.#isAsking) return
    this.#isAsking = true
    const [soon, late] = sheetsPausesMs
    this.#later(() => {
      this.#isAsking = false
      this.#askOfSheets()
    }, soon)
    this.#later(() => this.#askOfSheets(), late)
  }

  async #askOfSheets() {
    const { replay } = this.#facts
    const query = new URLSearchParams([...this.#sheets].map((sheet) => ['sheet', sheet.slice(replay.length)]))
    try {
      const answer = await this.#fetch(`${replay}/web/_/missing?${query}`)
      this.addMissing(await answer.json())
    } catch {
      // The archive is gone, or going: nothing more can be told.
    }
  }

  #message() {
    const [earliest, latest] = this.#times
    const parts = { earliest, latest, missing: [...this.#missing] }
    if (!this.#isWhole) return { polyhistor: 'parts', ...parts }
    return {
      polyhistor: 'page',
      url: this.#address(),
      timestamp: this.#facts.capturedAt,
      title: String(document.title ?? '').slice(0, 1_000),
      height: document.documentElement?.scrollHeight ?? 0,
      ...parts,
    }
  }
}
