// One peer of a network that archives together, as its owner and its readers see it: begun, killed, paused, asked.
//
// What it says went wrong is kept: lines of its log that are errors, what is no line of a log at all, and ends that nobody
// asked for.

import { appendFileSync, existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { partialHeader } from '../../src/app/http/partial-lists.ts'
import { type Capture, openStore } from '../../src/app/store/store-library.ts'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { PeerProcess } from '../ring/peer-process.ts'

export interface PeerPlan {
  readonly name: string
  readonly home: string
  readonly logFile: string
  readonly words: string[]
}

export interface JobState {
  readonly id: string
  readonly state: string
  readonly counters: Readonly<Record<string, number>>
}

/** A line of the crawl log that says that something is kept. */
export interface Kept {
  readonly url: string
  readonly atMs: number
  readonly outcome: string
}

export interface Listed {
  readonly url: string
  /** 14 digits. */
  readonly timestamp: string
}

const errorLevel = 50
/** A busy machine takes many times as long as a quiet one. */
const askMsMax = 120_000
const wholeMsMax = 120_000
const keptOutcomes = ['new', 'changed', 'same']

export class ArchivePeer {
  readonly name: string
  readonly home: string
  /** Stopped by SIGSTOP. */
  isPaused = false
  readonly #process: PeerProcess
  readonly #faults: string[] = []
  /** Processes that were killed on purpose: whoever watched over their index says so (src/cli/crash-guard.ts). */
  readonly #killed = new Set<number>()
  /** Nobody has ended it. */
  #isMeantToRun = false
  #cutLine = ''

  constructor({ name, home, logFile, words }: PeerPlan) {
    this.name = name
    this.home = home
    this.#process = new PeerProcess({
      home,
      words: ['--user-agent', name, ...words],
      onLog: (text) => {
        this.#read(text)
        // What it says last may come when the test has ended, and its folder is gone.
        if (existsSync(dirname(logFile))) appendFileSync(logFile, text)
      },
    })
  }

  /** It has been begun and is not being ended. */
  get isUp(): boolean {
    return this.#isMeantToRun && this.isRunning && !this.isPaused
  }

  get isRunning(): boolean {
    return this.#process.isRunning
  }

  /** How it ended, and what it said last. */
  get ending(): string {
    return `${this.name} ${this.#process.ending}`
  }

  get faults(): string[] {
    const isMissing = this.#isMeantToRun && !this.isRunning
    return isMissing ? [...this.#faults, `by itself ${this.ending}`] : this.#faults
  }

  get pid(): number {
    return this.#process.pid
  }

  get url(): string {
    return this.#process.url
  }

  async start(): Promise<void> {
    await this.#process.start()
    this.#isMeantToRun = true
  }

  pause(): void {
    this.isPaused = true
    this.#process.signal('SIGSTOP')
  }

  resume(): void {
    this.isPaused = false
    this.#process.signal('SIGCONT')
  }

  async kill(): Promise<void> {
    this.expectEnd()
    if (this.isRunning) this.#killed.add(this.pid)
    await this.#process.end('SIGKILL')
  }

  /** As its owner stops it. */
  async stop(): Promise<void> {
    this.expectEnd()
    const code = await this.#process.end('SIGTERM')
    if (code !== 0) this.#faults.push(`${this.name} was asked to stop and ended with ${code}`)
  }

  /** Killed, with its disk gone. */
  async destroy(): Promise<void> {
    await this.kill()
    await rm(this.home, { recursive: true, force: true })
  }

  get view(): PeerProcess['view'] {
    return () => this.#process.view()
  }

  /** Of the whole network. */
  status(): Promise<NetworkStatus> {
    return this.ask('/api/v1/status')
  }

  startJob(seeds: readonly string[]): Promise<JobState> {
    return this.#post('/api/v1/jobs', { seeds, scope: 'any' })
  }

  /** Nobody is to wait for this one any more, once it is missed. */
  async forget(peer: string, msMax: number): Promise<void> {
    const endMs = performance.now() + msMax
    for (;;) {
      try {
        await this.#post('/api/v1/network/forget', { peer })
        return
      } catch (error) {
        if (performance.now() > endMs) throw error
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
    }
  }

  job(id: string): Promise<JobState> {
    return this.ask(`/api/v1/jobs/${id}`)
  }

  /** What it lists for a host, of the whole network. A list that it says is partial is asked for again for a while: somebody was
   * slow. */
  async listed(host: string): Promise<Listed[]> {
    const endMs = performance.now() + wholeMsMax
    for (;;) {
      const { listed, isPartial } = await this.#list(host)
      if (!isPartial || performance.now() > endMs) return listed
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  /** The same, whole or not. */
  async listedAtOnce(host: string): Promise<Listed[]> {
    return (await this.#list(host)).listed
  }

  /** The bytes as they were fetched. */
  async read({ url, timestamp }: Listed): Promise<Buffer> {
    const response = await this.#fetch(`/web/${timestamp}id_/${url}`)
    return Buffer.from(await response.arrayBuffer())
  }

  /** Makes it write the lines of its crawl log that it has only gathered so far. */
  async writeLog(): Promise<void> {
    await (await this.#fetch('/api/v1/log?outcome=none')).text()
  }

  /** What its crawl log says is kept, from the disk: it need not run. */
  async kept(): Promise<Kept[]> {
    const folder = join(this.home, 'crawl', 'log')
    const names = await readdir(folder).catch(() => [])
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    return texts.flatMap(keptIn)
  }

  /** What lies on its own disk. It must not run. */
  async holdings(): Promise<Capture[]> {
    const store = await openStore(join(this.home, 'store'))
    try {
      return [...store.scan({ kind: 'all' })]
    } finally {
      await store.close()
    }
  }

  /** As Prometheus reads them. */
  async metrics(): Promise<string> {
    return (await this.#fetch('/metrics')).text()
  }

  async ask<T>(path: string): Promise<T> {
    return (await (await this.#fetch(path)).json()) as T
  }

  async askAsOwner<T>(path: string): Promise<T> {
    const token = (await readFile(join(this.home, 'token'), 'utf8')).trim()
    return (await (await this.#fetch(path, { headers: { Authorization: `Bearer ${token}` } })).json()) as T
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const token = (await readFile(join(this.home, 'token'), 'utf8')).trim()
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    return (await (
      await this.#fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json()) as T
  }

  async #fetch(path: string, options: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.#process.url + path, {
      ...options,
      signal: AbortSignal.timeout(askMsMax),
    })
    if (response.ok) return response
    throw new Error(`${this.name} answered ${response.status} to ${path}: ${await response.text()}`)
  }

  async #list(host: string): Promise<{ listed: Listed[]; isPartial: boolean }> {
    const query = new URLSearchParams({
      url: host,
      matchType: 'host',
      output: 'json',
      fl: 'original,timestamp',
    })
    const response = await this.#fetch(`/cdx/search/cdx?${query}`)
    const rows = (await response.json()) as [string, string][]
    return {
      listed: rows.slice(1).map(([url, timestamp]) => ({ url, timestamp })),
      isPartial: response.headers.has(partialHeader),
    }
  }

  expectEnd(): void {
    if (this.#isMeantToRun && !this.isRunning) this.#faults.push(`${this.name} ended by itself`)
    this.#isMeantToRun = false
    this.isPaused = false
  }

  #read(text: string): void {
    const lines = (this.#cutLine + text).split('\n')
    this.#cutLine = lines.pop()!
    for (const line of lines)
      if (isFault(line) && !this.#tellsOfKill(line))
        this.#faults.push(`${this.name} says: ${line.slice(0, 2_000)}`)
  }

  #tellsOfKill(line: string): boolean {
    const pid = /^polyhistor: process (\d+) was ended while it used /.exec(line)?.[1]
    return this.#killed.has(Number(pid))
  }
}

function isFault(line: string): boolean {
  try {
    return (JSON.parse(line) as { level: number }).level >= errorLevel
  } catch {
    return line.trim() !== ''
  }
}

function keptIn(text: string): Kept[] {
  return text.split('\n').flatMap((line) => {
    try {
      const { url, atMs, outcome } = JSON.parse(line) as Kept
      return keptOutcomes.includes(outcome) ? [{ url, atMs, outcome }] : []
    } catch {
      return [] // Killed while it was written.
    }
  })
}
