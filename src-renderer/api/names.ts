/** Names for values of the generated types. */

import type { Delivery, operations, PaymentSummary } from './generated/owner.ts';
import type { Contribution, Job } from './generated/public.ts';

type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

export type EnvironmentName = NonNullable<Query<'getLimits'>['environment']>;

export type ContributionStatus = Contribution['status'];

export type DeliveryStatus = Delivery['status'];

export type JobErrorCode = NonNullable<Job['error']>['code'];

export type JobStatus = Job['status'];

export type MoneyKind = PaymentSummary['money'];
