import { Tabs } from '../../ui/tabs.tsx';

export function AccountTabs() {
  return (
    <Tabs
      label="You"
      tabs={[
        ['/account', 'Account'],
        ['/account/tokens', 'Tokens'],
      ]}
    />
  );
}
