// An archive as a person has it: a home folder, crawled with `polyhistor crawl`, served with `polyhistor peer`.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder, watched } from '../../src/platform/fixtures/child-processes.ts'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { root } from '../command.ts'
import { crawl, type Summary } from '../crawl/crawling.ts'

/** A busy machine takes many times as long as a quiet one. */
const startMsMax = 240_000
const endMsMax = 240_000

export class TestArchive {
  readonly home: string
  readonly port: number
  #peer: ChildProcess | undefined
  #said = ''

  private constructor(home: string, port: number) {
    this.home = home
    this.port = port
  }

  /** Not running yet; the port is its own from then on. */
  static async create(): Promise<TestArchive> {
    return new TestArchive(await mkdtemp(join(tmpdir(), 'polyhistor-')), await freePort())
  }

  get origin(): string {
    return `http://localhost:${this.port}`
  }

  get replayOrigin(): string {
    return `http://replay.localhost:${this.port}`
  }

  /** As they are in a browser's Host header. */
  get hosts(): string[] {
    return [`localhost:${this.port}`, `replay.localhost:${this.port}`]
  }

  /** These, and what they need of sites below localhost. */
  async crawl(urls: readonly string[]): Promise<Summary> {
    const seeds = join(this.home, 'seeds')
    await writeFile(seeds, urls.join('\n'))
    return crawl(
      this.home,
      '--seeds',
      seeds,
      '--scope',
      'page',
      '--ignore-robots',
      '--include',
      '^http://\\w+[.]localhost:',
    )
  }

  async start(): Promise<void> {
    const words = ['peer', '--http', `localhost:${this.port}`, '--home', this.home]
    const peer = watched(spawn(join(root, 'bin', 'polyhistor'), words, { stdio: ['ignore', 'pipe', 'pipe'] }))
    for (const stream of [peer.stdout, peer.stderr]) stream.on('data', (text) => (this.#said += text))
    this.#peer = peer
    const endMs = performance.now() + startMsMax
    while (!(await this.#answers())) {
      if (peer.exitCode !== null || performance.now() > endMs) throw new Error(`No peer: ${this.#said}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async restart(): Promise<void> {
    await this.#end()
    await this.start()
  }

  async stop(): Promise<void> {
    await this.#end()
    await removeFolder(this.home)
  }

  async #end(): Promise<void> {
    const peer = this.#peer
    if (peer === undefined || peer.exitCode !== null || peer.signalCode !== null) return
    const ended = new Promise((resolve) => peer.once('close', resolve))
    peer.kill('SIGTERM')
    const late = setTimeout(() => peer.kill('SIGKILL'), endMsMax)
    await ended
    clearTimeout(late)
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(this.origin)).ok
    } catch {
      return false
    }
  }
}
