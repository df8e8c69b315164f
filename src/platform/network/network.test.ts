import { describe } from 'vitest'
import { RealClock } from '../real/clock.ts'
import { patientLimits } from '../real/fixtures/patient-limits.ts'
import { startNetwork } from '../real/network/network.ts'
import { SimulatedClock } from '../simulated/clock.ts'
import { SimulatedNetwork } from '../simulated/network.ts'
import { Simulation } from '../simulated/simulation.ts'
import { networkContract } from './network.contract.ts'
import type { Network } from './network.ts'

describe('real network', () => {
  networkContract(async (body) => {
    const started: Network[] = []
    try {
      await body(async () => {
        const network = await startNetwork({
          listen: ['/ip4/127.0.0.1/tcp/0'],
          ...patientLimits,
          messageBytesMax: 1_000_000,
        })
        started.push(network)
        return network
      }, new RealClock())
    } finally {
      await Promise.all(started.map((network) => network.close()))
    }
  })
})

describe('simulated network', () => {
  networkContract((body) => {
    const simulation = new Simulation({ seed: 1 })
    const network = new SimulatedNetwork({ simulation })
    let count = 0
    const clock = new SimulatedClock({ simulation })
    return simulation.complete(body(async () => network.join(`peer ${count++}`), clock))
  })
})
