// What runs in a thread of RealWorkers.

import { parentPort, workerData } from 'node:worker_threads'

const { work } = (await import(workerData as string)) as { work(input: unknown): unknown }

parentPort!.on('message', async (input: unknown) => {
  try {
    parentPort!.postMessage({ output: await work(input) })
  } catch (error) {
    parentPort!.postMessage({ message: (error as Error).message })
  }
})
