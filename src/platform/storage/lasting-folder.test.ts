import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SimulatedDisk } from '../simulated/disk.ts'
import { Simulation } from '../simulated/simulation.ts'
import { makeLastingFolder } from './lasting-folder.ts'

test('a folder and the parents that were made for it survive a power cut', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const simulation = new Simulation({ seed })
    const disk = new SimulatedDisk({ simulation })
    await simulation.complete(makeLastingFolder(disk.mount(), '/home/network/notices'))
    disk.crash()
    assert.ok(await simulation.complete(disk.mount().stat('/home/network/notices')), `seed ${seed}`)
  }
})

test('parents that a killed process made and did not sync survive, too', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const simulation = new Simulation({ seed })
    const disk = new SimulatedDisk({ simulation })
    await simulation.complete(disk.mount().makeFolder('/home/network/notices'))
    await simulation.complete(makeLastingFolder(disk.mount(), '/home/network/notices'))
    disk.crash()
    assert.ok(await simulation.complete(disk.mount().stat('/home/network/notices')), `seed ${seed}`)
  }
})
