// `polyhistor peer` in a process of its own, on a free port, for the running test.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { killed, watched } from '../../src/platform/fixtures/child-processes.ts'
import { root } from '../command.ts'

export interface RunningPeer {
  readonly url: string
  readonly home: string
  readonly child: ChildProcess
  /** With its exit code or signal. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** A loaded machine may take long to close what is open, and tests look at what a peer that has closed all leaves. */
const here = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'peer.stopTime=200s']

/** A loaded machine is many times slower than a quiet one: the limit only catches what hangs. */
const startMsMax = 240_000

/** Resolves when it has said where it is. */
export async function startPeer(home: string, ...words: string[]): Promise<RunningPeer> {
  const all = ['peer', '--home', home, '--http', 'localhost:0', ...here, '--json', '-q', ...words]
  const child = watched(spawn(join(root, 'bin', 'polyhistor'), all, { stdio: ['ignore', 'pipe', 'pipe'] }))
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  onTestFinished(() => killed(child))
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => (errors += text))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      output += text
      if (output.includes('\n')) resolve(JSON.parse(output.slice(0, output.indexOf('\n'))).url)
    })
    void ended.then((code) => reject(new Error(`the peer ended with ${code}: ${errors}`)))
    const late = () => reject(new Error(`the peer was not up after ${startMsMax / 1_000} s: ${errors}`))
    setTimeout(late, startMsMax).unref()
  })
  return {
    url,
    home,
    child,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}
