// What runs in the thread of RealSideWork: the `work` of a module, on one input after the other.

import { parentPort, workerData } from 'node:worker_threads'
import { notDone, outputBytesMax, type SharedParts, SideMemory } from './side-memory.ts'

interface WorkModule {
  /** undefined when it cannot be done. */
  work(input: Buffer): Uint8Array | undefined
}

const { parts, module } = workerData as { parts: SharedParts; module: string }
const { work } = (await import(module)) as WorkModule
const memory = new SideMemory(parts)
parentPort!.postMessage('ready')

for (let number = 0; ; ) {
  if (memory.asked === number) memory.waitForTask(number)
  else memory.answer(number, done(number++))
}

function done(number: number): number {
  try {
    const output = work(memory.input(number, memory.inputLength(number)))
    if (output === undefined || output.length > outputBytesMax) return notDone
    memory.output(number).set(output)
    return output.length
  } catch {
    return notDone
  }
}
