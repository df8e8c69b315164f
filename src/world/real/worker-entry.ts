// What runs in a thread of RealWorkers. `work` does a job; `given`, if the module has it, names the buffers of an output
// that are handed over instead of copied.

import { parentPort, workerData } from 'node:worker_threads'

interface WorkModule {
  work(input: unknown): unknown
  given?(output: unknown): ArrayBuffer[]
}

const { work, given } = (await import(workerData as string)) as WorkModule
const port = parentPort!

port.on('message', async ({ id, input }: { id: number; input: unknown }) => {
  try {
    const output = await work(input)
    port.postMessage({ id, output }, given?.(output) ?? [])
  } catch (error) {
    port.postMessage({ id, message: (error as Error).message })
  }
})
