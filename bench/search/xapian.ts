// Xapian, by its Python bindings (apt install python3-xapian): undefined where they are not installed.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { processorSeconds } from '../scale/processor-time.ts'
import type { Contender } from './contender.ts'

const pagesAtOnce = 500

export async function xapian(): Promise<Contender | undefined> {
  const python = [process.env.POLYHISTOR_PYTHON ?? 'python3', '/usr/bin/python3'].find(
    (path) => spawnSync(path, ['-c', 'import xapian']).status === 0,
  )
  if (python === undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-xapian-'))
  const child = spawn(python, [join(import.meta.dirname, 'xapian-index.py'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const order = async <T>(value: object): Promise<T> => {
    child.stdin.write(`${JSON.stringify(value)}\n`)
    return JSON.parse((await lines.next()).value as string) as T
  }
  return {
    name: 'Xapian',
    index: async (pages) => {
      let some: string[][] = []
      for (const { url, title, text } of pages) {
        if (some.push([url, title, text]) < pagesAtOnce) continue
        await order({ index: some })
        some = []
      }
      if (some.length > 0) await order({ index: some })
      await order({ commit: true })
    },
    bytes: () => order<number>({ commit: true }),
    processorSeconds: () => processorSeconds(child.pid!),
    latencies: (queries, callers) => order<number[]>({ ask: queries, callers }),
    close: async () => {
      child.stdin.end()
      await new Promise((resolve) => child.once('exit', resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
