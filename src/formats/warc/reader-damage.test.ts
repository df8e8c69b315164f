import { damageContract } from './reader-damage.contract.ts'

// Every byte: reader-damage.long.test.ts.
damageContract(17)
