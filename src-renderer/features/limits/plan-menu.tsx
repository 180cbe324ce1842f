import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LimitsView } from '../../api/generated/owner.ts';
import { joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { accountName, type PlannedAccount, usePlanChange } from './change-plan.ts';
import { limits as limitsTexts } from './texts.ts';

interface PlanMenuProps {
  account: PlannedAccount;
  plans: LimitsView['plans'];
  /** Opens the dialog for own numbers. */
  onCustom: () => void;
}

/** The plan of an account as a menu: two clicks change it. */
export function PlanMenu({ account, plans, onCustom }: PlanMenuProps): ReactNode {
  const { accountId, plan, allowance } = account;
  const change = usePlanChange(account);
  const t = limitsTexts;
  const planFiguresText = (of: LimitsView['bounds']) =>
    t.planFigures({ requests: of.requestsPerMinute, jobs: of.concurrency });
  const chooseLimitPlan = (name: 'studio' | 'production' | 'blocked') => {
    if (name !== plan.plan) change.mutate({ to: { plan: name }, before: plan });
  };
  return (
    <Menu position="bottom-end" width={318}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          rightSection={<Icon name="chevron-down" size={14} />}
          aria-label={t.changePlan({ account: accountId, plan: t.planNames[plan.plan] })}
          loading={change.isPending}
        >
          {t.planNames[plan.plan]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label ta="start">{t.planOf({ account: accountName(accountId) })}</Menu.Label>
        {(['studio', 'production'] as const).map((name) => (
          <Choice
            key={name}
            name={t.planNames[name]}
            about={planFiguresText(plans[name])}
            current={name === plan.plan}
            onChoose={() => chooseLimitPlan(name)}
          />
        ))}
        <Choice
          name={t.customChoice}
          about={plan.plan === 'enterprise' ? planFiguresText(allowance) : t.planUses.enterprise}
          current={plan.plan === 'enterprise'}
          onChoose={onCustom}
        />
        <Menu.Divider />
        <Menu.Item
          color="var(--q-bad)"
          leftSection={
            <span className="plan-check">
              <Icon name={plan.plan === 'blocked' ? 'check' : 'ban'} />
            </span>
          }
          onClick={() => chooseLimitPlan('blocked')}
        >
          {plan.plan === 'blocked' ? t.blockedNow : t.block}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Choice(props: { name: string; about: string; current: boolean; onChoose: () => void }) {
  const { name, about, current, onChoose } = props;
  return (
    <Menu.Item leftSection={<span className="plan-check">{current && <Icon name="check" />}</span>} onClick={onChoose}>
      <span className="label">{name}</span>
      {current && <span className="hidden-text">{joinTexts(['', limitsTexts.current])}</span>}
      <span className="small dim">{about}</span>
    </Menu.Item>
  );
}
