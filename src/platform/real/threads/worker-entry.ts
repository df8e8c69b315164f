// What runs in a thread of RealWorkers. `work` does a job; `workTogether`, if the module has it, all that came in one message, each of
// which may fail by itself; `given`, if the module has it, names the buffers of an output that are handed over instead of copied.

import { parentPort, workerData } from 'node:worker_threads'
import type { Order, Reply } from './workers.ts'

type Done = { readonly output: unknown } | { readonly error: unknown }

interface WorkModule {
  work(input: unknown): unknown
  workTogether?(inputs: readonly unknown[]): Promise<Done[]>
  given?(output: unknown): ArrayBuffer[]
}

const { work, workTogether, given } = (await import(workerData as string)) as WorkModule
const port = parentPort!

port.on('message', async (orders: readonly Order<unknown>[]) => {
  const replies: Reply<unknown>[] = []
  const transfer: ArrayBuffer[] = []
  const inputs = orders.map(({ input }) => input)
  const done = workTogether === undefined ? await oneByOne(inputs) : await workTogether(inputs)
  for (const [place, { id }] of orders.entries()) {
    const one = done[place]!
    if ('error' in one) {
      replies.push({ id, message: (one.error as Error).message })
      continue
    }
    if (given !== undefined) transfer.push(...given(one.output))
    replies.push({ id, output: one.output })
  }
  port.postMessage(replies, transfer)
})

async function oneByOne(inputs: readonly unknown[]): Promise<Done[]> {
  const done: Done[] = []
  for (const input of inputs) {
    try {
      done.push({ output: await work(input) })
    } catch (error) {
      done.push({ error })
    }
  }
  return done
}
