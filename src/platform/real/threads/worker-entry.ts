// What runs in a thread of RealWorkers. `work` does a job; `given`, if the module has it, names the buffers of an output
// that are handed over instead of copied.

import { parentPort, workerData } from 'node:worker_threads'
import type { Order, Reply } from './workers.ts'

interface WorkModule {
  work(input: unknown): unknown
  given?(output: unknown): ArrayBuffer[]
}

const { work, given } = (await import(workerData as string)) as WorkModule
const port = parentPort!

port.on('message', async (orders: readonly Order<unknown>[]) => {
  const replies: Reply<unknown>[] = []
  const transfer: ArrayBuffer[] = []
  for (const { id, input } of orders) {
    try {
      const output = await work(input)
      if (given !== undefined) transfer.push(...given(output))
      replies.push({ id, output })
    } catch (error) {
      replies.push({ id, message: (error as Error).message })
    }
  }
  port.postMessage(replies, transfer)
})
