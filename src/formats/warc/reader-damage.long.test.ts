import { damageContract } from './reader-damage.contract.ts'

damageContract(1)
