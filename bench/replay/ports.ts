// Free ports, and servers that take a moment to start.

import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const startMsMax = 60_000

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + startMsMax
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    if (performance.now() > endMs) throw new Error(`${child.spawnfile} does not answer at ${url}`)
    try {
      await (await fetch(url)).arrayBuffer()
      return
    } catch {
      await setTimeout(50)
    }
  }
}
